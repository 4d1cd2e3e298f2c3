/** Whether the app of `http.app` in langgraph.json can be loaded. */
import { basename } from 'node:path';
import type { LangGraphJson } from '../../../../graphs/discovery/langgraph-json.ts';
import { loadHttpApp } from '../../../../server/http-app/load.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { type Check, failure, ok } from '../../../service/checks/check.ts';

const ROW = 'http app';

/** No row if no app is named. */
export async function httpAppCheck(json: LangGraphJson | undefined): Promise<Check[]> {
  if (!json?.httpApp) return [];
  try {
    await loadHttpApp(json);
    return [ok(ROW, `${basename(json.httpApp.path)}:${json.httpApp.export}`)];
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return [
      failure(ROW, error.message, 'fix the file, or remove http.app; the service does not start with it'),
    ];
  }
}

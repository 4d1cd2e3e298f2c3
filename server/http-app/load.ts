/** Loads the app that `http.app` of langgraph.json names. */
import { basename, dirname, relative } from 'node:path';
import type { LangGraphJson } from '../../graphs/discovery/langgraph-json.ts';
import { problemOf } from '../../graphs/discovery/problem.ts';
import { readGraphFile } from '../../graphs/discovery/read-graph-file.ts';
import { configurationError } from '../../state/errors.ts';
import { type HttpApp, mounted } from './mount.ts';

/** Undefined if no app is named. Throws CONFIGURATION_ERROR, naming the file and the export, if there is no app there. */
export async function loadHttpApp(
  json: Pick<LangGraphJson, 'file' | 'httpApp'> | undefined,
): Promise<HttpApp | undefined> {
  if (!json?.httpApp) return undefined;
  const { path, export: name } = json.httpApp;
  const place = { root: dirname(json.file), file: relative(dirname(json.file), path) };
  const refuse = (reason: string) =>
    configurationError('http.app', `${place.file}:${name} ${reason} (${basename(json.file)})`);
  const take = async (exports: Record<string, unknown>) => mounted(await exports[name]);
  const app = await readGraphFile(path, take, 'what it awaits belongs into its routes').catch((cause) => {
    const problem = problemOf(place, cause).slice(place.file.length + 2);
    throw refuse(`cannot be loaded: ${problem}`);
  });
  if (!app) throw refuse('exports no app: expected an object with a fetch(request), such as a Hono app');
  return app;
}

/** Opens the langgraph.json of a project for the start of the service. */
import { findLangGraphJson, refuseProtected } from '../../graphs/discovery/find-langgraph-json.ts';
import { unsetVariables } from '../../graphs/discovery/langgraph-env.ts';
import { type LangGraphJson, readLangGraphJson } from '../../graphs/discovery/langgraph-json.ts';
import type { LoadedSettings } from '../../settings/load.ts';

/**
 * Undefined where there is none. Sets the variables of its `env`: call it before graphs are loaded, which may read them.
 * Throws CONFIGURATION_ERROR for one that is wrong, and for one with `auth`.
 */
export async function openLangGraphFile({
  settings,
  projectFolder,
}: Pick<LoadedSettings, 'settings' | 'projectFolder'>): Promise<LangGraphJson | undefined> {
  const file = await findLangGraphJson(settings.langgraph, projectFolder);
  if (file === undefined) return undefined;
  const json = await readLangGraphJson(file);
  refuseProtected(json, settings.langgraph);
  Object.assign(process.env, unsetVariables(json.env, process.env));
  return json;
}

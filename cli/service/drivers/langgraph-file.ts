/** Opens the langgraph.json of a project when the service starts. */
import { findLangGraphJson, refuseProtected } from '../../../graphs/discovery/find-langgraph-json.ts';
import {
  CONFIG_VARIABLE,
  type GraphConfigs,
  readGraphConfigs,
} from '../../../graphs/discovery/graph-configs.ts';
import { unsetVariables } from '../../../graphs/discovery/langgraph-env.ts';
import { type LangGraphJson, readLangGraphJson } from '../../../graphs/discovery/langgraph-json.ts';
import type { LoadedSettings } from '../../../settings/load.ts';
import { problemsError } from '../../../state/schema/check-options.ts';

/**
 * Undefined if the file does not exist. Sets the variables of its `env`: call it before graphs are loaded, which may read them.
 * LANGGRAPH_CONFIG is for the service alone and is not set.
 * Throws CONFIGURATION_ERROR for an invalid file, and for one with `auth`.
 */
export async function openLangGraphFile({
  settings,
  projectFolder,
}: Pick<LoadedSettings, 'settings' | 'projectFolder'>): Promise<LangGraphJson | undefined> {
  const file = await findLangGraphJson(settings.langgraph, projectFolder);
  if (file === undefined) return undefined;
  const json = await readLangGraphJson(file);
  refuseProtected(json, settings.langgraph);
  const { [CONFIG_VARIABLE]: _, ...variables } = json.env;
  Object.assign(process.env, unsetVariables(variables, process.env));
  return { ...json, graphConfigs: configsFromEnvironment() ?? json.graphConfigs };
}

/** As with every variable, the real environment overrides the file. */
function configsFromEnvironment(): GraphConfigs | undefined {
  const text = process.env[CONFIG_VARIABLE];
  if (!text) return undefined;
  const { configs, problems } = readGraphConfigs(text, CONFIG_VARIABLE);
  if (problems.length > 0) throw problemsError(problems);
  return configs;
}

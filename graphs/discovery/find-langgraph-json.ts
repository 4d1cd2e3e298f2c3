/** Finds a project's langgraph.json, and decides whether its graphs may be served. */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { configurationError } from '../../state/errors.ts';
import type { LangGraphJson } from './langgraph-json.ts';
import type { LangGraphOptions } from './options.ts';

const NAME = 'langgraph.json';

/**
 * Returns the absolute path; undefined if the project has no such file. The path in `langgraph.config` must exist; if it is a
 * folder, its langgraph.json is used, as in LangGraph's CLI. The file beside config.yml is optional. Throws
 * CONFIGURATION_ERROR.
 */
export async function findLangGraphJson(
  { config }: LangGraphOptions,
  projectFolder: string,
): Promise<string | undefined> {
  const usual = join(projectFolder, NAME);
  if (config === undefined) return (await statOf(usual)) ? usual : undefined;
  const named = (await statOf(config))?.isDirectory() ? join(config, NAME) : config;
  if (await statOf(named)) return named;
  throw configurationError('langgraph.config', 'the file does not exist');
}

/** Graphs with `auth` must not be served without it: throws CONFIGURATION_ERROR unless `langgraph.ignore_auth` is set. */
export function refuseProtected(json: LangGraphJson, { ignore_auth }: LangGraphOptions): void {
  if (!json.protected || ignore_auth) return;
  const reason = `${basename(json.file)} has 'auth', which is not supported; set this to true to serve its graphs without it`;
  throw configurationError('langgraph.ignore_auth', reason);
}

/** Also rejects a file that exists but can't be examined. */
async function statOf(path: string) {
  return stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return undefined;
    throw configurationError('langgraph.config', 'the file cannot be read');
  });
}

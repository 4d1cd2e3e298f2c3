/** Loads the HTTP app that `http.app` in langgraph.json names. */
import { basename, dirname, relative } from 'node:path';
import type { LangGraphJson } from '../../graphs/discovery/langgraph-json.ts';
import { problemOf } from '../../graphs/discovery/problem.ts';
import { readGraphFile } from '../../graphs/discovery/read-graph-file.ts';
import { configurationError } from '../../state/errors.ts';
import { type HttpApp, mountApp } from './mount.ts';

/**
 * Returns undefined if `http.app` is not set. Throws CONFIGURATION_ERROR, naming the file and the export, if the file can't be
 * loaded or the export is not an app.
 */
export async function loadHttpApp(
  json: Pick<LangGraphJson, 'file' | 'httpApp'> | undefined,
): Promise<HttpApp | undefined> {
  if (!json?.httpApp) return undefined;
  const { path, export: name } = json.httpApp;
  const location = { root: dirname(json.file), file: relative(dirname(json.file), path) };
  const invalid = (reason: string) =>
    configurationError('http.app', `${location.file}:${name} ${reason} (${basename(json.file)})`);
  const mount = async (exports: Record<string, unknown>) => mountApp(await exports[name]);
  const app = await readGraphFile(path, mount, 'move what it awaits into its routes').catch((cause) => {
    const problem = problemOf(location, cause).slice(location.file.length + 2);
    throw invalid(`cannot be loaded: ${problem}`);
  });
  if (!app)
    throw invalid('is not an app: expected an object with a method fetch(request), such as a Hono app');
  return app;
}

/** Loads the settings: reads every layer, merges them, validates the result, and records the source of each value. */
import { resolve } from 'node:path';
import { inspectOptions, type Problem, problemsError } from '../state/schema/check-options.ts';
import { mapLeaves } from '../state/schema/walk-schema.ts';
import { crossCheck } from './checks/cross-checks.ts';
import { unreadVariables } from './environment/unread-variables.ts';
import { findFiles, type Inputs, type SettingsFiles } from './files/files.ts';
import { gather } from './gather.ts';
import { withProvider } from './models.ts';
import { resolved } from './resolve.ts';
import { Settings } from './schema.ts';
import { type Origin, originOf, origins, plain, type Sourced } from './sourced.ts';

export interface LoadedSettings {
  settings: Settings;
  /**
   * The source of every value, by dotted path: `default`, a file's name, `profile <name> in profiles.yml`,
   * `environment <VARIABLE>` (with ` in .env`), or `flag --port`.
   */
  sources: Record<string, string>;
  files: SettingsFiles;
  /** The folder of config.yml, even if the file does not exist. */
  projectFolder: string;
  /**
   * The variables that LangChain, LangSmith and OpenTelemetry read from the process's environment, including those in `.env`.
   */
  libraryVariables: Record<string, string>;
  /** Likely mistakes that may also be intentional, one sentence each. */
  warnings: string[];
}

const LIBRARY_VARIABLE = /^(LANGSMITH|LANGCHAIN|OTEL)_/;

/** Throws one CONFIGURATION_ERROR with all problems, one sentence per line. It never contains a value. */
export function loadSettings(inputs: Inputs): LoadedSettings {
  const cwd = resolve(inputs.cwd);
  const found = findFiles({ ...inputs, cwd });
  const written = gather(found, { ...inputs, cwd });
  // Validated twice: models can only be completed once they are known to be valid models.
  check(written.root, written.problems);
  const complete = withProvider(written.root, found.variables);
  const settings = check(complete.root, complete.problems);
  const problems = crossCheck(settings);
  if (problems.length > 0) throw problemsError(problems);
  const where = origins(complete.root);
  const ready = resolved(settings, { where, cwd });
  const { files, projectFolder } = found;
  const libraryVariables = Object.fromEntries(
    [...found.variables].flatMap(([name, { text }]) => (LIBRARY_VARIABLE.test(name) ? [[name, text]] : [])),
  );
  const warnings = unreadVariables(found.variables, written.references);
  const sources = sourcesOf(ready, where);
  return { settings: ready, sources, files, projectFolder, libraryVariables, warnings };
}

function check(root: Sourced, earlier: readonly Problem[]): Settings {
  const where = origins(root);
  const { value, problems } = inspectOptions(Settings, plain(root), '');
  const fresh = problems
    .filter(({ path }) => !earlier.some((problem) => problem.path === path))
    .map(({ path, reason }) => ({ path, reason: withSource(reason, originOf(where, path)) }));
  const all = [...earlier, ...fresh];
  if (all.length > 0) throw problemsError(all);
  return value;
}

function withSource(reason: string, origin: Origin | undefined): string {
  return origin ? `${reason} (${origin.source})` : reason;
}

function sourcesOf(settings: Settings, where: ReadonlyMap<string, Origin>): Record<string, string> {
  const sources: Record<string, string> = {};
  mapLeaves({ schema: Settings, value: settings, path: '' }, ({ path }) => {
    sources[path] = where.get(path)?.source ?? 'default';
  });
  return sources;
}

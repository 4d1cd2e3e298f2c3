/** Reads langgraph.json as the LangGraph CLI does: its graphs, and their settings. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { configurationError, type SkeinError } from '../../state/errors.ts';
import { type Problem, problemsError } from '../../state/schema/check-options.ts';
import { isMapping } from '../../state/schema/walk-schema.ts';
import { firstWrong } from '../../tools/json/first-wrong.ts';
import { textPosition } from '../../tools/json/text-position.ts';
import { findProblems } from './find-problems.ts';
import { CONFIG_VARIABLE, type GraphConfigs, readGraphConfigs } from './graph-configs.ts';
import { keyNotes, misspelled } from './known-keys.ts';
import { readEnv } from './langgraph-env.ts';
import { type CheckpointerConfig, LangGraphFile, type StoreConfig } from './langgraph-schema.ts';
import { isPython, type Reference, reference } from './reference.ts';

export interface ComponentFiles {
  /** Absolute paths, by name. */
  files: Record<string, string>;
  /** Packages that the components bundle, besides React and LangGraph's SDK. */
  shared: string[];
}

export interface LangGraphJson {
  /** Absolute path. */
  file: string;
  graphs: (Reference & { name: string; description?: string })[];
  /** Graphs that cannot run here, each with a sentence that explains why. */
  refused: { name: string; problem: string }[];
  /** From `env`, without the process's own environment. `unsetVariables` says which of them to set. */
  env: Record<string, string>;
  /** From `env.LANGGRAPH_CONFIG`. */
  graphConfigs: GraphConfigs;
  store?: Static<typeof StoreConfig>;
  checkpointer?: Static<typeof CheckpointerConfig>;
  httpApp?: Reference;
  /** UI components. */
  ui?: ComponentFiles;
  /** Whether it has `auth`: see `refuseProtected`. */
  protected: boolean;
  /** Sentences to print at startup about parts of the file that have no effect. */
  notes: string[];
}

/** `file` is absolute. Throws a single CONFIGURATION_ERROR with all problems, naming the file and the key. */
export async function readLangGraphJson(file: string): Promise<LangGraphJson> {
  const name = basename(file);
  const top = parse(await readText(file), name);
  const fields = withoutNulls(top);
  const { env, problems, notes } = await readEnv(fields.env, file);
  const { configs, problems: configProblems } = readGraphConfigs(
    env[CONFIG_VARIABLE] ?? '',
    `env.${CONFIG_VARIABLE}`,
  );
  const all = [
    ...findProblems(LangGraphFile, fields).map((each) => withHint(each, fields)),
    ...problems,
    ...configProblems,
  ];
  if (all.length > 0 || !Value.Check(LangGraphFile, fields)) throw inFile(all, name);
  const { store, checkpointer, http, auth } = fields;
  const app = http?.app;
  const ui = componentsOf(fields, file);
  return {
    file,
    ...graphsOf(fields, file),
    env,
    graphConfigs: configs,
    ...(store && { store }),
    ...(checkpointer && { checkpointer }),
    ...(app !== undefined && !isPython(app) && { httpApp: reference(app, file) }),
    ...(ui && { ui }),
    protected: auth !== undefined,
    notes: [...keyNotes(fields), ...notes, ...appNotes(app), ...uiNotes(ui), ...authNotes(auth)].map(
      (note) => `${name}: ${note}`,
    ),
  };
}

async function readText(file: string): Promise<string> {
  try {
    // Editors on Windows add a byte order mark, which isn't JSON.
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw configurationError(basename(file), `the file cannot be read (${code})`);
  }
}

function parse(text: string, name: string): Record<string, unknown> {
  const wrong = firstWrong(text);
  if (wrong !== undefined) {
    const hint = text.charAt(wrong) === '/' ? '; JSON has no comments' : '';
    throw configurationError(name, `not valid JSON at ${textPosition(text, wrong)}${hint}`);
  }
  const value: unknown = JSON.parse(text);
  if (!isMapping(value)) throw configurationError(name, 'expected a JSON object');
  return value;
}

const NULL_MEANS_UNSET = ['store', 'checkpointer', 'http'];

/** The CLI's schema allows null for optional fields. */
function withoutNulls(value: Record<string, unknown>, isTop = true): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    entries.map(([key, field]) => {
      const isDeep = isMapping(field) && (!isTop || NULL_MEANS_UNSET.includes(key));
      return [key, isDeep ? withoutNulls(field, false) : field];
    }),
  );
}

function withHint(problem: Problem, top: Record<string, unknown>): Problem {
  const meant = problem.path === 'graphs' && top.graphs === undefined && misspelled(top, 'graphs');
  return meant ? { ...problem, reason: `${problem.reason}; the key '${meant}' is unknown` } : problem;
}

function inFile(problems: readonly Problem[], name: string): SkeinError {
  return problemsError(problems.map(({ path, reason }) => ({ path, reason: `${reason} (${name})` })));
}

function graphsOf({ graphs }: LangGraphFile, file: string): Pick<LangGraphJson, 'graphs' | 'refused'> {
  const entries = Object.entries(graphs).map(([name, entry]) => {
    const { path, description } = typeof entry === 'string' ? { path: entry } : entry;
    return { name, path, ...(description && { description }) };
  });
  const [foreign, own] = [true, false].map((wanted) =>
    entries.filter(({ path }) => isPython(path) === wanted),
  );
  return {
    graphs: (own ?? []).map((entry) => ({ ...entry, ...reference(entry.path, file) })),
    refused: (foreign ?? []).map(({ name }) => ({
      name,
      problem: `${basename(file)}: graphs.${name} is written in Python, which is not supported`,
    })),
  };
}

function componentsOf({ ui, ui_config }: LangGraphFile, file: string): ComponentFiles | undefined {
  if (!ui) return undefined;
  const files = Object.entries(ui).map(([name, path]) => [name, resolve(dirname(file), path)]);
  return { files: Object.fromEntries(files), shared: ui_config?.shared ?? [] };
}

function uiNotes(ui: ComponentFiles | undefined): string[] {
  const missing = Object.entries(ui?.files ?? {}).filter(([, file]) => !existsSync(file));
  return missing.map(([name, file]) => `ui.${name}: file "${basename(file)}" does not exist`);
}

/** Shown only with `langgraph.ignore_auth`: see `refuseProtected`. */
function authNotes(auth: LangGraphFile['auth']): string[] {
  return auth === undefined ? [] : ['auth is not supported and has no effect'];
}

function appNotes(app: string | undefined): string[] {
  return app !== undefined && isPython(app) ? ['http.app is written in Python, which is not supported'] : [];
}

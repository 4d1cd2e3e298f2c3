/** Reads `env` of langgraph.json: variables with values, the name of a dotenv file, or names without values. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { Value } from '@sinclair/typebox/value';
import type { Problem } from '../../state/schema/check-options.ts';
import { isMapping } from '../../state/schema/walk-schema.ts';
import { findProblems } from './find-problems.ts';
import { CONFIG_VARIABLE } from './graph-configs.ts';
import { EnvFile, EnvMap, EnvNames } from './langgraph-schema.ts';

interface LangGraphEnv {
  env: Record<string, string>;
  problems: Problem[];
  notes: string[];
}

/** `file` is the langgraph.json: the path of a dotenv file is relative to its folder. */
export async function readEnv(given: unknown, file: string): Promise<LangGraphEnv> {
  const value = withConfigAsText(given);
  const schema = Array.isArray(value) ? EnvNames : isMapping(value) ? EnvMap : EnvFile;
  const problems = value === undefined ? [] : findProblems(schema, value, 'env');
  if (value === undefined || problems.length > 0) return { env: {}, problems, notes: [] };
  if (Value.Check(EnvMap, value)) return { env: value, problems, notes: [] };
  if (typeof value === 'string') return readFileOf(value, file);
  return { env: {}, problems, notes: ['env lists names without values, so it sets no variable'] };
}

/** The only variable whose value may be written as a JSON object. */
function withConfigAsText(value: unknown): unknown {
  if (!isMapping(value) || !isMapping(value[CONFIG_VARIABLE])) return value;
  return { ...value, [CONFIG_VARIABLE]: JSON.stringify(value[CONFIG_VARIABLE]) };
}

/** The variables of `env` to set. The process's environment takes precedence, and an empty variable counts as unset. */
export function unsetVariables(
  env: Readonly<Record<string, string>>,
  real: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' && !real[name]));
}

/** A missing file sets nothing, because templates name a `.env` that is never committed. Values are literal. */
async function readFileOf(name: string, file: string): Promise<LangGraphEnv> {
  try {
    const text = await readFile(resolve(dirname(file), name), 'utf8');
    const entries = Object.entries(parseEnv(text));
    const env = Object.fromEntries(entries.map(([key, value]) => [key, value ?? '']));
    return { env, problems: [], notes: [] };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    if (code === 'ENOENT')
      return { env: {}, problems: [], notes: [`env: file '${name}' is not found, so it sets no variable`] };
    return {
      env: {},
      problems: [{ path: 'env', reason: `the file cannot be read (${code})` }],
      notes: [],
    };
  }
}

/** Environment variables of the process, which take precedence, and of the `.env` file. An empty variable counts as unset. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { configurationError } from '../../state/errors.ts';
import type { Origin } from '../sourced.ts';

export interface Variable {
  text: string;
  origin: Origin;
}

export type Variables = ReadonlyMap<string, Variable>;

interface RealEnvironment {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Values are literal: `$` and `${` have no special meaning. */
export function readVariables(envFile: string | null, { cwd, env }: RealEnvironment): Variables {
  const variables = new Map<string, Variable>();
  for (const [name, text] of Object.entries(envFile ? parseEnvFile(envFile) : {})) {
    if (!text || !envFile) continue;
    variables.set(name, {
      text,
      origin: { source: `environment ${name} in .env`, folder: dirname(envFile) },
    });
  }
  for (const [name, text] of Object.entries(env)) {
    if (text) variables.set(name, { text, origin: { source: `environment ${name}`, folder: cwd } });
  }
  return variables;
}

function parseEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw configurationError('.env', `the file cannot be read (${code})`);
  }
}

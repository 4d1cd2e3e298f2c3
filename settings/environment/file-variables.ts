/** Variables that name a file with their value, such as mounted secrets: `DATABASE_URL_FILE` sets `DATABASE_URL`. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { configurationError } from '../../state/errors.ts';
import { isRead } from './environment.ts';
import type { Variable, Variables } from './variables.ts';

const SUFFIX = /_FILE$/i;

/** Throws CONFIGURATION_ERROR, which names the variable, if both variables are set or the file cannot be used. */
export function withFiles(variables: Variables): Variables {
  const all = new Map(variables);
  for (const [name, variable] of variables) {
    const base = name.replace(SUFFIX, '');
    if (base === name || !isRead(base)) continue;
    if (variables.has(base)) throw configurationError(name, `${base} is also set; set only one of them`);
    all.delete(name);
    all.set(base, { ...variable, text: contentOf(name, variable) });
  }
  return all;
}

/** Without the final line break, which editors and `echo` append. */
function contentOf(name: string, { text: path, origin }: Variable): string {
  const text = read(name, resolve(origin.folder, path)).replace(/\r?\n$/, '');
  if (text === '') throw configurationError(name, `its file is empty (${origin.source})`);
  return text;
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw configurationError(name, `its file cannot be read (${code})`);
  }
}

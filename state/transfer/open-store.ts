/** Opens a state by its path or URL. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { configurationError } from '../errors.ts';
import { postgresStore } from './postgres-store.ts';
import { sqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

/** `name`: the flag or setting with the path or URL, for errors. */
export function openStore(target: string, name: string): Store {
  return isUrl(target) ? postgresStore(checkedUrl(target, name), name) : sqliteStore(target, name);
}

/** The path or URL for output, without user and password. */
export function databaseLabel(target: string): string {
  if (!isUrl(target)) return target;
  const { host, pathname } = new URL(target);
  return `postgresql://${host}${pathname}`;
}

export function isSameDatabase(one: string, other: string): boolean {
  return identity(one) === identity(other);
}

function identity(target: string): string {
  if (isUrl(target)) return databaseLabel(target);
  try {
    return realpathSync(target);
  } catch {
    return resolve(target);
  }
}

/** Validates the URL of a PostgreSQL database. Throws CONFIGURATION_ERROR, which does not contain the URL. */
export function checkedUrl(url: string, name: string): string {
  if (/^postgres(?:ql)?:\/\/[^\s/]/.test(url) && URL.canParse(url)) return url;
  throw configurationError(name, 'expected the path of a file, or a postgres:// or postgresql:// URL');
}

// Matches any scheme, so that a mistyped URL never creates a file.
function isUrl(target: string): boolean {
  return /^[a-z][a-z+]+:\/\//i.test(target);
}

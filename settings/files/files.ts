/** Finds and reads the settings files. A file that you name must exist; the default files are optional. */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { configurationError } from '../../state/errors.ts';
import { withFiles } from '../environment/file-variables.ts';
import { readVariables, type Variables } from '../environment/variables.ts';
import type { Flags } from '../flags.ts';
import { repeatedKey } from './repeated-key.ts';

export interface SettingsFiles {
  /** Absolute paths; null if the file does not exist. */
  config: string | null;
  profiles: string | null;
  env: string | null;
}

export interface Inputs {
  /** The working directory, absolute. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  flags: Flags;
}

export interface Found {
  files: SettingsFiles;
  variables: Variables;
  /** The folder of config.yml, even if the file does not exist. */
  projectFolder: string;
}

export function findFiles({ cwd, env, flags }: Inputs): Found {
  // The location of config.yml decides which .env is read, so the .env here may only set that location.
  const here = readVariables(fileOrNull(join(cwd, '.env')), { cwd, env });
  const hints = withFiles(new Map([...here].filter(([name]) => name.startsWith('SERVICE_PROJECT_PATH'))));
  const config = resolve(cwd, flags.config ?? hints.get('SERVICE_PROJECT_PATH')?.text ?? 'config.yml');
  const projectFolder = dirname(config);
  const envFile = fileOrNull(join(projectFolder, '.env'));
  const variables = withFiles(readVariables(envFile, { cwd, env }));
  const named = variables.get('SERVICE_PROFILE_PATH');
  const profiles = flags.profiles
    ? resolve(cwd, flags.profiles)
    : resolve(named?.origin.folder ?? cwd, named?.text ?? 'profiles.yml');
  return {
    files: {
      config: existing(
        config,
        flags.config ? 'flag --config' : hints.get('SERVICE_PROJECT_PATH')?.origin.source,
      ),
      profiles: existing(profiles, flags.profiles ? 'flag --profiles' : named?.origin.source),
      env: envFile,
    },
    variables,
    projectFolder,
  };
}

/** The content of the YAML file: null if it is empty. */
export function readYaml(path: string): unknown {
  const text = readText(path);
  try {
    const value: unknown = refuseDeep(Bun.YAML.parse(text), basename(path));
    refuseRepeated(text, basename(path));
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.replace('YAML Parse error: ', '');
    throw configurationError(basename(path), `not valid YAML at line ${brokenLine(text)} (${reason})`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw configurationError(basename(path), `the file cannot be read (${errorCode(cause)})`);
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}

/**
 * Returns the path even if it is a folder, so that reading it fails: mounting a missing file into a container creates a folder.
 */
function existing(path: string, namedBy: string | undefined): string | null {
  const stat = statOf(path);
  if (namedBy !== undefined && !stat?.isFile()) {
    throw configurationError(namedBy.split(' ')[1] ?? namedBy, `file does not exist (${namedBy})`);
  }
  return stat ? path : null;
}

function fileOrNull(path: string): string | null {
  return statOf(path)?.isFile() ? path : null;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw configurationError(basename(path), `the file cannot be read (${errorCode(cause)})`);
  }
}

/** Bun's YAML errors have no position, so this finds the line after the longest valid beginning of the text. */
function brokenLine(text: string): number {
  const lines = text.split('\n');
  for (let count = lines.length - 1; count > 0; count--) {
    if (isYaml(lines.slice(0, count).join('\n'))) return count + 1;
  }
  return 1;
}

function isYaml(text: string): boolean {
  try {
    Bun.YAML.parse(text);
    return true;
  } catch {
    return false;
  }
}

function refuseRepeated(text: string, file: string): void {
  const found = repeatedKey(text);
  if (!found) return;
  const reason = `the key '${found.key}' is set twice, at lines ${found.first} and ${found.line}; remove one of them`;
  throw configurationError(file, reason);
}

/** An alias inside its own anchor creates an infinitely deep tree. */
function refuseDeep(value: unknown, file: string, depth = 0): unknown {
  if (depth > 64) throw configurationError(file, 'must be nested at most 64 levels deep');
  if (typeof value !== 'object' || value === null) return value;
  for (const field of Object.values(value)) refuseDeep(field, file, depth + 1);
  return value;
}

/** A temporary project folder whose settings are loaded by the real loader. */
import { onTestFinished } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Flags } from '../../settings/flags.ts';
import { type LoadedSettings, loadSettings } from '../../settings/load.ts';
import { SkeinError } from '../../state/errors.ts';

export interface Around {
  env?: Record<string, string>;
  flags?: Flags;
}

/** Writes the files by their names into a new folder, the working directory of `load` and `refusal`. It is removed after the test. */
export function project(files: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'skein-settings-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const load = ({ env = {}, flags = {} }: Around = {}): LoadedSettings => loadSettings({ cwd, env, flags });
  return { cwd, load, refusal: (around: Around = {}) => refusalOf(() => load(around)) };
}

/** The message of the CONFIGURATION_ERROR that the action throws. */
export function refusalOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'CONFIGURATION_ERROR') return error.message;
    throw error;
  }
  throw new Error('expected a CONFIGURATION_ERROR');
}

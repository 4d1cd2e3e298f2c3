/** A temporary folder with a project that has one of these graphs, the packages of this repository, and skein itself. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../../..');

export function projectFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-third-party-'));
  for (const file of ['model.ts', 'recorder.ts'])
    cpSync(join(import.meta.dir, 'project', file), join(folder, file));
  cpSync(join(import.meta.dir, 'project/graphs', name), join(folder, 'graphs', name), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(ROOT, join(folder, 'node_modules/skein'));
  return folder;
}

/** A temporary folder with a project that has one of these graphs, the packages of this repository, and skein itself. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../../..');

/** `own` are the packages and scopes of which the project has a separate copy. */
export function projectFolder(name: string, { own = [] }: { own?: string[] } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-third-party-'));
  for (const file of ['model.ts', 'recorder.ts'])
    cpSync(join(import.meta.dir, 'project', file), join(folder, file));
  cpSync(join(import.meta.dir, 'project/graphs', name), join(folder, 'graphs', name), { recursive: true });
  const [from, packages] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(packages);
  for (const each of readdirSync(from)) {
    if (own.includes(each))
      cpSync(join(from, each), join(packages, each), { recursive: true, dereference: true });
    else symlinkSync(join(from, each), join(packages, each));
  }
  symlinkSync(ROOT, join(packages, 'skein'));
  return folder;
}

/** A temporary folder with a project that has one of these graphs, and the packages of this repository. */
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../../..');

export function projectFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-third-party-'));
  cpSync(join(import.meta.dir, 'project/model.ts'), join(folder, 'model.ts'));
  cpSync(join(import.meta.dir, 'project/graphs', name), join(folder, 'graphs', name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

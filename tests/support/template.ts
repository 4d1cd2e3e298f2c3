/** A project with the template's workflows, as `skein init` makes one: they import the package by its name. */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');

/** Gives the project's folder, which the caller removes. */
export function templateProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-project-'));
  cpSync(join(ROOT, 'cli/template/graphs'), join(folder, 'graphs'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'skein'));
  return folder;
}

/** Creates a project with the template's workflows, as `skein init` does. They import the package by name. */
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');

/** Returns the project's folder, which the caller must remove. */
export function templateProject(template = 'bike-insights'): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-project-'));
  cpSync(join(ROOT, 'cli/template', template, 'graphs'), join(folder, 'graphs'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'skein'));
  for (const name of ['@langchain', 'zod'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

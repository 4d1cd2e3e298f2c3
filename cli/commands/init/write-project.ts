/** Writes the files of a new project; existing files are not overwritten. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { discover } from '../../../graphs/discovery/discover.ts';
import skein from '../../../package.json';
import { CORE_WORKFLOWS } from '../../../runtime/workflows/discovery.ts';
import type { Answers } from './answers.ts';
import { completedPackage, ownScripts } from './complete-package.ts';
import { packageJson } from './package-json.ts';
import { configYml, profilesYml } from './settings-files.ts';
import type { SkeinSource } from './skein-source.ts';

export interface Written {
  written: string[];
  /** Existed before. */
  unchanged: string[];
  /** What was added to an existing package.json. */
  added: string[];
  /** The scripts of package.json that are those of a new project. */
  scripts: Set<string>;
}

const TEMPLATES_FOLDER = join(import.meta.dir, '../../template');
// Every project has these.
const SHARED = join(TEMPLATES_FOLDER, 'shared');
// A copy, because it runs before skein is installed.
const INSTALL = join(import.meta.dir, '../../install.ts');

export interface Project {
  answers: Answers;
  /** Where the project installs skein from. */
  source: SkeinSource;
}

/** Throws CONFIGURATION_ERROR, before it writes anything, if package.json cannot be completed. */
export async function writeProject(folder: string, project: Project): Promise<Written> {
  const files = await filesOf(project);
  const wanted = String(files.get(PACKAGE));
  const before = await textOf(join(folder, PACKAGE));
  const { text, added } =
    before === undefined ? { text: wanted, added: [] } : completedPackage(before, wanted);
  const done: Written = { written: [], unchanged: [], added, scripts: ownScripts(text, wanted) };
  if (added.length > 0) {
    await writeFile(join(folder, PACKAGE), text);
    files.delete(PACKAGE);
  }
  for (const [name, content] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    try {
      // Only the owner may read secrets.
      await writeFile(path, content, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 });
      done.written.push(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      done.unchanged.push(name);
    }
  }
  return done;
}

const PACKAGE = 'package.json';

async function textOf(path: string): Promise<string | undefined> {
  const file = Bun.file(path);
  return (await file.exists()) ? file.text() : undefined;
}

async function filesOf({ answers, source }: Project): Promise<Map<string, string | Uint8Array>> {
  const { name, template, env } = answers;
  const { dependency, archive } = source;
  const folder = join(TEMPLATES_FOLDER, template);
  const workflows = [
    ...(await discover(CORE_WORKFLOWS, 'core')).filter(({ name }) => isShipped(name)),
    ...(await discover(join(folder, 'graphs'), 'project')),
  ];
  const files = new Map<string, string | Uint8Array>([
    [PACKAGE, packageJson(name, dependency)],
    ['config.yml', configYml(workflows)],
    ['profiles.yml', profilesYml(workflows)],
    ...(env.length > 0 ? ([['.env', `${env.join('\n')}\n`]] as const) : []),
    ['scripts/install.ts', await Bun.file(INSTALL).bytes()],
    ...(archive ? ([[archive.name, archive.content]] as const) : []),
  ]);
  for (const from of [SHARED, folder])
    for (const path of templateFiles(from)) files.set(nameOf(path), await Bun.file(join(from, path)).bytes());
  return files;
}

/** A checkout may have other workflows beside the core's, which are not part of the package. */
function isShipped(workflow: string): boolean {
  return skein.files.includes(`graphs/${workflow}`);
}

/** Without what a service leaves in the template: state, .env and packages. */
function templateFiles(folder: string): string[] {
  const files = [...new Bun.Glob('**/*').scanSync({ cwd: folder })];
  return files.filter((path) => !path.split(/[/\\]/).includes('node_modules')).sort();
}

/** Hidden files have no dot in the template, because npm would leave some of them out of the package. */
function nameOf(path: string): string {
  return path.replace(/(^|\/)dot-/, '$1.');
}

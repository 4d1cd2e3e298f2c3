/** Writes the files of a new project, and never over one that is there. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { discover } from '../../../graphs/discovery/discover.ts';
import { CORE_WORKFLOWS } from '../../../runtime/workflows/discovery.ts';
import type { Answers } from './answers.ts';
import { packageJson } from './package-json.ts';
import { configYml, profilesYml } from './settings-files.ts';
import type { SkeinSource } from './skein-source.ts';

export interface Written {
  written: string[];
  /** Were there before, and are as they were. */
  kept: string[];
}

const TEMPLATE = join(import.meta.dir, '../../template');
// A copy: it has to run before skein is installed.
const INSTALL = join(import.meta.dir, '../../install.ts');

/** `source`: where the project gets skein from. */
export async function writeProject(folder: string, answers: Answers, source: SkeinSource): Promise<Written> {
  const done: Written = { written: [], kept: [] };
  for (const [name, content] of await filesOf(answers, source)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    try {
      // Secrets are for nobody else on the machine.
      await writeFile(path, content, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 });
      done.written.push(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      done.kept.push(name);
    }
  }
  return done;
}

async function filesOf(
  { name, env }: Answers,
  { dependency, archive }: SkeinSource,
): Promise<Map<string, string | Uint8Array>> {
  const workflows = [
    ...(await discover(CORE_WORKFLOWS, 'core')),
    ...(await discover(join(TEMPLATE, 'graphs'), 'project')),
  ];
  const files = new Map<string, string | Uint8Array>([
    ['package.json', packageJson(name, dependency)],
    ['config.yml', configYml(workflows)],
    ['profiles.yml', profilesYml(workflows)],
    ...(env.length > 0 ? ([['.env', `${env.join('\n')}\n`]] as const) : []),
    ['scripts/install.ts', await Bun.file(INSTALL).bytes()],
    ...(archive ? ([[archive.name, archive.content]] as const) : []),
  ]);
  for (const path of [...new Bun.Glob('**/*').scanSync({ cwd: TEMPLATE, dot: true })].sort()) {
    const bytes = await Bun.file(join(TEMPLATE, path)).bytes();
    files.set(nameOf(path), bytes);
  }
  return files;
}

/** Hidden files lie in the template without their dot, so that packing leaves none of them out. */
function nameOf(path: string): string {
  return path.replace(/(^|\/)dot-/, '$1.');
}

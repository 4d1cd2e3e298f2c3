/** Discovery: a folder with a `graph.ts` is a workflow, its name the public name. */
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { problemOf } from './problem.ts';
import { readDefinition } from './read-definition.ts';
import type { Workflow } from './workflow.ts';

export interface Discovered {
  name: string;
  source: 'core' | 'project';
  folder: string;
  /** The definition, or why there is none: a broken workflow is reported by name and does not stop the others. */
  definition: Workflow | undefined;
  problem?: string;
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Every workflow under `folder`, by name. A folder that is missing has none. */
export async function discover(folder: string, source: Discovered['source']): Promise<Discovered[]> {
  const found: Discovered[] = [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const name of entries.map(({ name }) => name).sort()) {
    const file = join(folder, name, 'graph.ts');
    if (await Bun.file(file).exists())
      found.push({ name, source, folder: join(folder, name), ...(await load(name, file)) });
  }
  return found;
}

async function load(name: string, file: string): Promise<Pick<Discovered, 'definition' | 'problem'>> {
  const place = `graphs/${name}/graph.ts`;
  if (!NAME.test(name)) {
    return {
      definition: undefined,
      problem: `${place}: a workflow's folder is named in lower case with hyphens`,
    };
  }
  try {
    const definition = await readDefinition(file);
    const missing = (['description', 'agents', 'example', 'build'] as const).filter(
      (key) => !definition?.[key],
    );
    if (missing.length === 0) return { definition };
    return { definition: undefined, problem: `${place}: the default export lacks ${missing.join(', ')}` };
  } catch (error) {
    return { definition: undefined, problem: problemOf(dirname(file), error) };
  }
}

/** Discovery: a folder with a `graph.ts` is a workflow, its name the public name. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Workflow } from '../authoring/workflow.ts';
import { type About, aboutOf } from './about.ts';
import { type AdoptedGraph, exportedOf } from './exported.ts';
import { type Place, problemOf } from './problem.ts';
import { readGraphFile } from './read-graph-file.ts';

export interface Discovered {
  name: string;
  source: 'core' | 'project';
  /** Where its prompt files may be. */
  folder: string;
  place: Place;
  /** Made with `workflow()`. */
  definition?: Workflow;
  /** Any other graph, and what its file says of it. */
  adopted?: AdoptedGraph;
  /** The name under which the file exports the graph. */
  export?: string;
  about?: About;
  /** Why there is neither: a broken workflow is reported by name and does not stop the others. */
  problem?: string;
}

/** A graph that a file lists beside the folders. */
export interface Listed {
  name: string;
  place: Place;
  /** The name under which the file exports it. */
  export: string;
  description?: string | undefined;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Every workflow under `folder`, by name. A missing folder has none. */
export async function discover(folder: string, source: Discovered['source']): Promise<Discovered[]> {
  const found: Discovered[] = [];
  const root = dirname(folder);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const name of entries.map(({ name }) => name).sort()) {
    const place = { root, file: join(basename(folder), name, 'graph.ts') };
    if (await Bun.file(join(root, place.file)).exists())
      found.push(await load({ name, place, export: 'default' }, source));
  }
  return found;
}

/** The same for graphs that are named one by one. */
export async function discoverListed(listed: Listed[]): Promise<Discovered[]> {
  const found: Discovered[] = [];
  for (const one of listed) found.push(await load(one, 'project'));
  return found;
}

async function load(listed: Listed, source: Discovered['source']): Promise<Discovered> {
  const { name, place, description } = listed;
  const file = join(place.root, place.file);
  const common = { name, source, folder: dirname(file), place };
  if (!NAME.test(name))
    return {
      ...common,
      problem: `${place.file}: a workflow's name has 1 to 64 letters, digits, hyphens or underscores, and no hyphen first`,
    };
  try {
    return await readGraphFile(file, async (exports) => {
      const exported = await exportedOf(exports[listed.export], name);
      if (exported.kind === 'workflow') return { ...common, definition: exported.definition };
      if (exported.kind === 'neither') return { ...common, problem: `${place.file}: ${exported.reason}` };
      const about = { ...aboutOf(exports.about), ...(description !== undefined && { description }) };
      return { ...common, adopted: exported.adopted, export: listed.export, about };
    });
  } catch (error) {
    return { ...common, problem: problemOf(place, error) };
  }
}

/** Discovers workflows: every folder with a `graph.ts` is one, and its name is public. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Workflow } from '../authoring/workflow.ts';
import { type About, aboutOf } from './about.ts';
import { type AdoptedGraph, exportedOf } from './exported.ts';
import { problemOf, type SourceFile } from './problem.ts';
import { readGraphFile } from './read-graph-file.ts';

export type Discovered = Written | Adopted | Broken;

interface Found {
  name: string;
  source: 'core' | 'project';
  /** The folder of the workflow, which may contain prompt files. */
  folder: string;
  sourceFile: SourceFile;
}

/** A workflow that was created with `workflow()`. */
interface Written extends Found {
  definition: Workflow;
  adopted?: undefined;
}

/** Any other graph, with its file's description. */
interface Adopted extends Found {
  definition?: undefined;
  adopted: AdoptedGraph;
  /** The name of the graph's export. */
  export: string;
  about: About;
}

/** A broken workflow is reported by name and does not affect the others. */
interface Broken extends Found {
  definition?: undefined;
  adopted?: undefined;
  /** Why it has neither a definition nor a graph. */
  problem: string;
}

/** A graph that is listed in langgraph.json, in addition to those in folders. */
export interface Listed {
  name: string;
  sourceFile: SourceFile;
  /** The name of its export. */
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
    const sourceFile = { root, file: join(basename(folder), name, 'graph.ts') };
    if (await Bun.file(join(root, sourceFile.file)).exists())
      found.push(await load({ name, sourceFile, export: 'default' }, source));
  }
  return found;
}

/** Loads the listed graphs, in their order. */
export async function discoverListed(listed: Listed[]): Promise<Discovered[]> {
  const found: Discovered[] = [];
  for (const one of listed) found.push(await load(one, 'project'));
  return found;
}

async function load(listed: Listed, source: Discovered['source']): Promise<Discovered> {
  const { name, sourceFile, description } = listed;
  const file = join(sourceFile.root, sourceFile.file);
  const common = { name, source, folder: dirname(file), sourceFile };
  if (!NAME.test(name))
    return {
      ...common,
      problem: `${sourceFile.file}: a workflow's name must have 1 to 64 letters, digits, hyphens or underscores, and must not begin with a hyphen`,
    };
  try {
    return await readGraphFile(file, async (exports) => {
      const exported = await exportedOf(exports[listed.export], name);
      if (exported.kind === 'workflow') return { ...common, definition: exported.definition };
      if (exported.kind === 'neither')
        return { ...common, problem: `${sourceFile.file}: ${exported.reason}` };
      const about = { ...aboutOf(exports.about), ...(description !== undefined && { description }) };
      return { ...common, adopted: exported.adopted, export: listed.export, about };
    });
  } catch (error) {
    return { ...common, problem: problemOf(sourceFile, error) };
  }
}

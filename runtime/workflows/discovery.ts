/** Finds the workflows of the core and of the project. */
import { basename, dirname, join, relative } from 'node:path';
import { shareSchemaRegistries } from '../../graphs/authoring/schema-registries.ts';
import type { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import { type Discovered, discover, discoverListed } from '../../graphs/discovery/discover.ts';
import type { LangGraphJson } from '../../graphs/discovery/langgraph-json.ts';
import type { PromptSource } from '../../prompts/prompts.ts';
import { readShippedPrompts } from '../../prompts/shipped-source.ts';
import { workflowName } from './workflow-name.ts';

/** The folder of the core's workflows. */
export const CORE_WORKFLOWS = join(import.meta.dir, '../../graphs');

export interface Discovery {
  found: Discovered[];
  /** All workflows of the core, and the names of those that the project replaces. */
  core: Discovered[];
  replaced: ReadonlySet<string>;
  /** The prompt files of the workflows. */
  shipped: PromptSource;
  /** A sentence for each workflow of the project that is not used. */
  ignored: string[];
}

/**
 * Finds the core's workflows and those of the project in `projectFolder`, including those of its langgraph.json. A
 * project's workflow replaces a core workflow of the same name only if `workflows.<name>.replaces_core` is true.
 */
export async function discoverWorkflows(
  projectFolder: string,
  settings: Record<string, WorkflowSettings>,
  json?: Pick<LangGraphJson, 'file' | 'graphs' | 'refused' | 'notes'>,
): Promise<Discovery> {
  const core = await discover(CORE_WORKFLOWS, 'core');
  const folder = join(projectFolder, 'graphs');
  const inFolders = folder === CORE_WORKFLOWS ? [] : await discover(folder, 'project');
  const own = [...inFolders, ...(json ? await listedIn(json) : [])];
  shareSchemaRegistries();
  const isCore = ({ name }: Discovered) => core.some((one) => one.name === workflowName(name));
  const counts = (one: Discovered) =>
    !isCore(one) || settings[workflowName(one.name)]?.replaces_core === true;
  const used = own.filter(counts);
  const replaced = new Set(used.filter(isCore).map(({ name }) => workflowName(name)));
  const found = [...core.filter(({ name }) => !replaced.has(name)), ...used];
  const folders = [...core, ...used].map((one) => join(one.folder, 'prompts'));
  const common = join(import.meta.dir, '../../prompts/shipped');
  const ignored = own
    .filter((one) => !counts(one))
    .map(
      ({ name, sourceFile }) =>
        `${sourceFile.file} is not used: the core has a workflow of this name, which workflows.${name}.replaces_core: true replaces`,
    );
  return {
    found,
    core,
    replaced,
    shipped: await readShippedPrompts([common, ...folders]),
    ignored: [...ignored, ...(json?.notes ?? [])],
  };
}

async function listedIn({
  file,
  graphs,
  refused,
}: Pick<LangGraphJson, 'file' | 'graphs' | 'refused'>): Promise<Discovered[]> {
  const root = dirname(file);
  const listed = graphs.map(({ name, path, export: exported, description }) => ({
    ...{ name, sourceFile: { root, file: relative(root, path) }, export: exported, description },
  }));
  const sourceFile = { root, file: basename(file) };
  return [
    ...(await discoverListed(listed)),
    ...refused.map(({ name, problem }) => ({
      ...{ name, source: 'project' as const, folder: root, sourceFile, problem },
    })),
  ];
}

/** The workflows that there are: the core's, and those of a project. */
import { join } from 'node:path';
import { shareSchemaRegistries } from '../../graphs/authoring/schema-registries.ts';
import type { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import { type Discovered, discover } from '../../graphs/discovery/discover.ts';
import { readPromptFolders } from '../../prompts/folder-source.ts';
import type { PromptSource } from '../../prompts/prompts.ts';
import { workflowName } from './workflow-name.ts';

/** The folder of the core's workflows. */
export const CORE_WORKFLOWS = join(import.meta.dir, '../../graphs');

export interface Discovery {
  found: Discovered[];
  /** All of the core's, and the names of those that workflows of the project have taken the place of. */
  core: Discovered[];
  replaced: ReadonlySet<string>;
  /** The prompt files that ship with them. */
  shipped: PromptSource;
  /** Why workflows of the project were left out, a sentence each. */
  ignored: string[];
}

/**
 * The core's workflows and those of the project in `projectFolder`. A project's workflow takes the place of a core one of
 * the same name only where its settings, `workflows.<name>`, say so.
 */
export async function discoverWorkflows(
  projectFolder: string,
  settings: Record<string, WorkflowSettings>,
): Promise<Discovery> {
  const core = await discover(CORE_WORKFLOWS, 'core');
  const folder = join(projectFolder, 'graphs');
  const own = folder === CORE_WORKFLOWS ? [] : await discover(folder, 'project');
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
      ({ name }) =>
        `graphs/${name} is not used: the core has a workflow of this name, which workflows.${name}.replaces_core: true replaces`,
    );
  return { found, core, replaced, shipped: await readPromptFolders([common, ...folders]), ignored };
}

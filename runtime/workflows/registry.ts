/** The workflows that can run: discovered, their settings checked, compiled once with the service's saver. */
import { join } from 'node:path';
import { type Discovered, discover } from '../../graphs/authoring/discover.ts';
import { problemOf } from '../../graphs/authoring/problem.ts';
import { shareSchemaRegistries } from '../../graphs/authoring/schema-registries.ts';
import type { AgentDescription, CompiledGraph, Reading, Workflow } from '../../graphs/authoring/workflow.ts';
import { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import { readPromptFolders } from '../../prompts/folder-source.ts';
import type { PromptSource } from '../../prompts/prompts.ts';
import { Conversation } from '../../state/conversation.ts';
import { configurationError, SkeinError } from '../../state/errors.ts';
import { checkOptions } from '../../state/schema/check-options.ts';
import { nearest } from '../../state/schema/nearest.ts';
import { isDeltaChannel } from './delta-values.ts';
import { type WorkflowParts, workflowSettings, workflowTools } from './workflow-tools.ts';

export interface RegisteredWorkflow {
  name: string;
  source: Discovered['source'];
  description: string;
  agents: AgentDescription[];
  externalServices: string[];
  maxPromptLength: number;
  /** What it makes of a prompt; throws INVALID_WORKFLOW_INPUT. */
  read(prompt: string): Reading;
  changesOutside: boolean;
  example: string;
  settings: WorkflowSettings;
  promptFiles: string[];
  /** Undefined where the workflow is broken; `problem` says why. */
  graph: CompiledGraph | undefined;
  problem: string | undefined;
  /** Settings that are missing or wrong for it, as dotted paths; `refusal` is what a turn is refused with. */
  missing: string[];
  refusal: SkeinError | undefined;
  /** What it needs on disk that is missing now, one sentence each. */
  missingOnDisk(): Promise<string[]>;
}

export interface Registry {
  workflows: RegisteredWorkflow[];
  /** By hyphenated or underscored name, in any case. */
  find(name: string): RegisteredWorkflow | undefined;
  /** Throws INVALID_WORKFLOW_TYPE or CONFIGURATION_ERROR where the name gives nothing that can run. */
  runnable(name: string): RunnableWorkflow;
}

export type RunnableWorkflow = RegisteredWorkflow & { graph: CompiledGraph };

const DEFAULT_PROMPT_LENGTH = 100_000;

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
  const isCore = ({ name }: Discovered) => core.some((one) => one.name === name);
  const counts = (one: Discovered) => !isCore(one) || settings[one.name]?.replaces_core === true;
  const used = own.filter(counts);
  const replaced = new Set(used.filter(isCore).map(({ name }) => name));
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

/** Throws CONFIGURATION_ERROR for settings that break a workflow's schema or name no workflow. */
export async function registerWorkflows(found: Discovered[], parts: WorkflowParts): Promise<Registry> {
  refuseUnknownNames(found, parts.settings);
  const files = await parts.prompts.list();
  const workflows = found.map((one) => register(one, parts, files));
  const find = (name: string) => {
    const wanted = workflowName(name);
    return workflows.find((workflow) => workflow.name === wanted);
  };
  return {
    workflows,
    find,
    runnable(name) {
      const workflow = find(name);
      if (workflow?.refusal) throw workflow.refusal;
      if (!workflow?.graph) throw invalidWorkflow(workflow, workflows);
      return { ...workflow, graph: workflow.graph };
    },
  };
}

/** The public form of a name, which may come with underscores and in any case. */
export function workflowName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function register(one: Discovered, parts: WorkflowParts, files: string[]): RegisteredWorkflow {
  const { name, source, definition } = one;
  if (!definition) return broken(one, one.problem);
  const settings = workflowSettings(definition, parts.settings[name], `workflows.${name}`);
  const { tools, taken, used } = workflowTools(name, settings, parts);
  let common: Omit<RegisteredWorkflow, 'graph' | 'problem' | 'missing' | 'refusal'>;
  try {
    common = {
      name,
      source,
      description: definition.description,
      agents: [...definition.agents(settings)],
      externalServices: servicesOf(definition, parts),
      maxPromptLength: definition.maxPromptLength ?? DEFAULT_PROMPT_LENGTH,
      read: (prompt: string) => readingOf(definition, prompt),
      changesOutside: definition.changesOutside ?? false,
      example: definition.example,
      settings,
      promptFiles: files.filter((file) => file.startsWith(`${name}.`)),
      missingOnDisk: async () =>
        (await Promise.all(Array.from(used, (one) => one.missing()))).flatMap((reason) => reason ?? []),
    };
  } catch (error) {
    return broken(one, problemOf(one.folder, error));
  }
  try {
    const compiled = definition.build(tools).compile({ name });
    refuseChannels(compiled);
    refuseAgents(common.agents, compiled);
    const agents = [...common.agents, ...taken];
    return { ...common, agents, graph: compiled, problem: undefined, missing: [], refusal: undefined };
  } catch (error) {
    if (error instanceof SkeinError && error.field !== undefined) {
      return { ...common, graph: undefined, problem: undefined, missing: [error.field], refusal: error };
    }
    return {
      ...common,
      graph: undefined,
      problem: problemOf(one.folder, error),
      missing: [],
      refusal: undefined,
    };
  }
}

/** Rethrows an unexpected error as it is, so that the error handler logs it in full. */
function readingOf({ read }: Workflow, prompt: string): Reading {
  try {
    return read?.(prompt) ?? {};
  } catch (error) {
    throw error instanceof SkeinError && error.code === 'INTERNAL_ERROR' ? (error.cause ?? error) : error;
  }
}

function servicesOf({ externalServices }: Workflow, { sql, knowledge }: WorkflowParts): string[] {
  return externalServices?.({ sql: sql.description, library: knowledge.description }) ?? [];
}

/** The runtime reads the conversation's channels from checkpoints, where a delta channel has no value. */
function refuseChannels({ channels }: CompiledGraph): void {
  const missing = Object.keys(Conversation.spec).filter((channel) => !(channel in channels));
  if (missing.length > 0) throw new Error(`its state lacks ${missing.join(', ')}: add ...Conversation.spec`);
  const delta = Object.keys(Conversation.spec).find((channel) => isDeltaChannel(channels[channel]));
  if (delta !== undefined)
    throw new Error(`the channel '${delta}' is the conversation's and cannot be a DeltaChannel`);
}

/** What the list, the graph's picture and the events call an agent must be a node. */
function refuseAgents(agents: AgentDescription[], { nodes }: CompiledGraph): void {
  const missing = agents.find(({ name }) => !(name in nodes));
  if (missing) throw new Error(`its graph has no node for the agent '${missing.name}'`);
}

function broken({ name, source }: Discovered, problem: string | undefined): RegisteredWorkflow {
  return {
    name,
    source,
    description: '',
    agents: [],
    externalServices: [],
    maxPromptLength: DEFAULT_PROMPT_LENGTH,
    read: () => ({}),
    changesOutside: false,
    example: '',
    settings: checkOptions(WorkflowSettings, {}, `workflows.${name}`),
    promptFiles: [],
    missingOnDisk: async () => [],
    graph: undefined,
    problem: problem ?? 'unknown',
    missing: [],
    refusal: undefined,
  };
}

function refuseUnknownNames(found: Discovered[], settings: Record<string, unknown>): void {
  const names = found.map(({ name }) => name);
  for (const name of Object.keys(settings)) {
    if (names.includes(name)) continue;
    const close = nearest(name, names);
    const hint = close ? `, did you mean '${close}'?` : `; there are: ${names.join(', ')}`;
    throw configurationError(`workflows.${name}`, `no such workflow${hint}`);
  }
}

function invalidWorkflow(workflow: RegisteredWorkflow | undefined, all: RegisteredWorkflow[]): SkeinError {
  const names = all.filter(({ graph }) => graph).map(({ name }) => name);
  const why = workflow
    ? `'${workflow.name}' cannot be loaded, see the service's log`
    : 'no workflow of that name';
  return new SkeinError('INVALID_WORKFLOW_TYPE', {
    detail: `Class ConversationFlow not found: ${why}. Available: ${names.join(', ')}`,
  });
}

/** The workflows that can run: discovered, their settings checked, compiled once with the service's saver. */
import { join } from 'node:path';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { Type } from '@sinclair/typebox';
import { agentNode } from '../graphs/agent.ts';
import { agentGraph } from '../graphs/agent-graph.ts';
import { type Discovered, discover } from '../graphs/discover.ts';
import { runTables } from '../graphs/run-tables.ts';
import type { KnowledgeBase } from '../graphs/tools/library/open.ts';
import type { Models } from '../graphs/tools/model/models.ts';
import type { SqlDatabase } from '../graphs/tools/sql/open.ts';
import type { AgentDescription, CompiledGraph, Reading } from '../graphs/workflow.ts';
import { WorkflowSettings } from '../graphs/workflow-settings.ts';
import { readPromptFolders } from '../prompts/folder-source.ts';
import type { PromptSource, Prompts } from '../prompts/prompts.ts';
import { checkOptions } from '../state/check-options.ts';
import { Conversation } from '../state/conversation.ts';
import { configurationError, SkeinError } from '../state/errors.ts';
import { nearest } from '../state/nearest.ts';

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
}

export interface Registry {
  workflows: RegisteredWorkflow[];
  /** By hyphenated or underscored name, in any case. */
  find(name: string): RegisteredWorkflow | undefined;
  /** Throws INVALID_WORKFLOW_TYPE or CONFIGURATION_ERROR where the name gives nothing that can run. */
  runnable(name: string): RunnableWorkflow;
}

export type RunnableWorkflow = RegisteredWorkflow & { graph: CompiledGraph };

export interface RegistryParts {
  /** The `workflows` block: settings by workflow name, not checked yet. */
  settings: Record<string, unknown>;
  models: Models;
  prompts: Prompts;
  checkpointer: BaseCheckpointSaver;
  sql: Pick<SqlDatabase, 'open' | 'openTables' | 'description'>;
  knowledge: Pick<KnowledgeBase, 'open' | 'description'>;
}

const DEFAULT_PROMPT_LENGTH = 100_000;

const CORE = join(import.meta.dir, '..', 'graphs');

/**
 * Finds the core's workflows and those of the project in `projectFolder`, with the prompt files that ship with them. A
 * project's workflow does not replace a core one of the same name.
 */
export async function discoverWorkflows(
  projectFolder: string,
): Promise<{ found: Discovered[]; shipped: PromptSource }> {
  const core = await discover(CORE, 'core');
  const folder = join(projectFolder, 'graphs');
  const own = folder === CORE ? [] : await discover(folder, 'project');
  const found = [...core, ...own.filter(({ name }) => !core.some((one) => one.name === name))];
  const folders = found.map(({ folder }) => join(folder, 'prompts'));
  const common = join(import.meta.dir, '..', 'prompts', 'shipped');
  return { found, shipped: await readPromptFolders([common, ...folders]) };
}

/** Throws CONFIGURATION_ERROR for settings that break a workflow's schema or name no workflow. */
export async function registerWorkflows(found: Discovered[], parts: RegistryParts): Promise<Registry> {
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

function register(one: Discovered, parts: RegistryParts, files: string[]): RegisteredWorkflow {
  const { name, source, definition } = one;
  const path = `workflows.${name}`;
  if (!definition) return broken(one, one.problem);
  const schema = Type.Composite([definition.options ?? Type.Object({}), WorkflowSettings], {
    additionalProperties: false,
    default: {},
  });
  const settings = checkOptions(schema, parts.settings[name] ?? {}, path) as WorkflowSettings;
  const model = parts.models.chat(settings.model);
  if (!model) throw configurationError(`${path}.model`, 'names no chat model of the `models` block');
  const { temperature, prompt_revision: promptRevision } = settings;
  const environment = { workflow: name, model, temperature, prompts: parts.prompts, promptRevision };
  const common = {
    name,
    source,
    description: definition.description,
    agents: definition.agents(settings),
    externalServices:
      definition.externalServices?.({ sql: parts.sql.description, library: parts.knowledge.description }) ??
      [],
    maxPromptLength: definition.maxPromptLength ?? DEFAULT_PROMPT_LENGTH,
    read: (prompt: string) => definition.read?.(prompt) ?? {},
    changesOutside: definition.changesOutside ?? false,
    example: definition.example,
    settings,
    promptFiles: files.filter((file) => file.startsWith(`${name}.`)),
    missing: [],
    refusal: undefined,
  };
  try {
    const graph = definition.build({
      options: settings,
      agent: agentNode(environment),
      agentGraph: agentGraph(environment),
      openSql: parts.sql.open,
      openTables: runTables(parts.sql.openTables),
      openLibrary: parts.knowledge.open,
    });
    const compiled = graph.compile({ checkpointer: parts.checkpointer, name });
    refuseChannels(compiled);
    refuseAgents(common.agents, compiled);
    return { ...common, graph: compiled, problem: undefined };
  } catch (error) {
    if (error instanceof SkeinError && error.field !== undefined) {
      return { ...common, graph: undefined, problem: undefined, missing: [error.field], refusal: error };
    }
    const reason = error instanceof Error ? error.message : String(error);
    return { ...common, graph: undefined, problem: `graphs/${name}/graph.ts: ${reason}` };
  }
}

/** The runtime reads the conversation's channels, and prunes the checkpoints that a delta channel is the sum of. */
function refuseChannels({ channels }: CompiledGraph): void {
  const missing = Object.keys(Conversation.spec).filter((channel) => !(channel in channels));
  if (missing.length > 0) throw new Error(`its state lacks ${missing.join(', ')}: add ...Conversation.spec`);
  for (const [name, channel] of Object.entries(channels)) {
    if ((channel as { lc_graph_name?: string }).lc_graph_name !== 'DeltaChannel') continue;
    throw new Error(`the channel '${name}' is a DeltaChannel, which is not supported`);
  }
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

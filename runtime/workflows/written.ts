/** Registers a workflow built with `workflow()`: checks its settings, builds and compiles its graph. */

import type { AgentDescription, CompiledGraph, Reading, Workflow } from '../../graphs/authoring/workflow.ts';
import type { Discovered } from '../../graphs/discovery/discover.ts';
import { problemOf } from '../../graphs/discovery/problem.ts';
import { SkeinError } from '../../state/errors.ts';
import { Conversation } from '../../state/threads/conversation.ts';
import { isDeltaChannel } from './delta-values.ts';
import { broken, DEFAULT_PROMPT_LENGTH, type RegisteredWorkflow } from './registered.ts';
import { workflowName } from './workflow-name.ts';
import { type WorkflowParts, workflowSettings, workflowTools } from './workflow-tools.ts';

/** Throws CONFIGURATION_ERROR for settings that don't match the workflow's schema. */
export function registerWritten(
  one: Discovered & { definition: Workflow },
  parts: WorkflowParts,
  files: string[],
): RegisteredWorkflow {
  const { name, source, definition } = one;
  const settings = workflowSettings(definition, parts.settings[workflowName(name)], `workflows.${name}`);
  const { tools, taken, used } = workflowTools(name, settings, parts);
  let common: Omit<RegisteredWorkflow, 'graph' | 'problem' | 'missing' | 'refusal'>;
  try {
    common = {
      name,
      source,
      category: source,
      description: definition.description,
      agents: [...definition.agents(settings)],
      externalServices: servicesOf(definition, parts),
      maxPromptLength: definition.maxPromptLength ?? DEFAULT_PROMPT_LENGTH,
      read: (prompt: string) => readingOf(definition, prompt),
      changesOutside: definition.changesOutside ?? false,
      example: definition.example,
      notes: [],
      settings,
      promptFiles: files.filter((file) => file.startsWith(`${name}.`)),
      missingOnDisk: async () =>
        (await Promise.all(Array.from(used, (one) => one.missing()))).flatMap((reason) => reason ?? []),
    };
  } catch (error) {
    return broken(one, problemOf(one.sourceFile, error));
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
      problem: problemOf(one.sourceFile, error),
      missing: [],
      refusal: undefined,
    };
  }
}

/** Rethrows the cause of an unexpected error, so that the error handler logs it in full. */
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

/** The runtime reads the conversation's channels from checkpoints, which don't contain the values of delta channels. */
function refuseChannels({ channels }: CompiledGraph): void {
  const missing = Object.keys(Conversation.spec).filter((channel) => !(channel in channels));
  if (missing.length > 0) throw new Error(`its state lacks ${missing.join(', ')}: add ...Conversation.spec`);
  const delta = Object.keys(Conversation.spec).find((channel) => isDeltaChannel(channels[channel]));
  if (delta !== undefined)
    throw new Error(`the channel '${delta}' is the conversation's and cannot be a DeltaChannel`);
}

/** Every agent must be a node, because lists, drawings and events use its name as the node's. */
function refuseAgents(agents: AgentDescription[], { nodes }: CompiledGraph): void {
  const missing = agents.find(({ name }) => !(name in nodes));
  if (missing) throw new Error(`its graph has no node for the agent '${missing.name}'`);
}

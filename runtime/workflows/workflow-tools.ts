/** The tools that a workflow is built with: its settings, the functions that create agents, and the core's workflows. */
import { Type } from '@sinclair/typebox';
import { agentNode } from '../../graphs/authoring/agent/agent.ts';
import { agentGraph } from '../../graphs/authoring/agent/agent-graph.ts';
import { type CoreWorkflow, coreNode } from '../../graphs/authoring/core-workflow.ts';
import { runTables } from '../../graphs/authoring/run-tables.ts';
import type { AgentDescription, Workflow, WorkflowTools } from '../../graphs/authoring/workflow.ts';
import { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import type { Discovered } from '../../graphs/discovery/discover.ts';
import type { Prompts } from '../../prompts/prompts.ts';
import { configurationError } from '../../state/errors.ts';
import { checkOptions } from '../../state/schema/check-options.ts';
import type { KnowledgeBase } from '../../tools/knowledge/open.ts';
import type { Models } from '../../tools/models/models.ts';
import type { SqlDatabase } from '../../tools/sql/open.ts';

export interface WorkflowParts {
  /** The `workflows` block: unchecked settings by workflow name. */
  settings: Record<string, unknown>;
  models: Models;
  prompts: Prompts;
  sql: Pick<SqlDatabase, 'open' | 'openTables' | 'description' | 'missing'>;
  knowledge: Pick<KnowledgeBase, 'open' | 'description' | 'missing'>;
  /** All workflows of the core, and the names of those that the project replaces. */
  core: readonly Discovered[];
  replaced: ReadonlySet<string>;
}

/** Throws CONFIGURATION_ERROR, naming the field. */
export function workflowSettings(
  { options }: Pick<Workflow, 'options'>,
  given: unknown,
  path: string,
): WorkflowSettings {
  const schema = Type.Composite([options ?? Type.Object({}), WorkflowSettings], {
    additionalProperties: false,
    default: {},
  });
  return checkOptions(schema, given ?? {}, path) as WorkflowSettings;
}

export interface Bound {
  tools: WorkflowTools<WorkflowSettings>;
  /** The agents of the core's workflows that have been used as nodes so far. */
  taken: AgentDescription[];
  /** The data sources that it has opened, including those of the core's workflows that it uses as nodes. */
  used: Set<Pick<SqlDatabase | KnowledgeBase, 'missing'>>;
}

/** Throws CONFIGURATION_ERROR for a model that is not configured. */
export function workflowTools(name: string, settings: WorkflowSettings, parts: WorkflowParts): Bound {
  const { sql, knowledge, prompts, models } = parts;
  const model = models.chat(settings.model);
  if (!model)
    throw configurationError(`workflows.${name}.model`, 'names no chat model of the `models` block');
  const { temperature, prompt_revision: promptRevision } = settings;
  const environment = { workflow: name, model, temperature, prompts, promptRevision };
  const taken: AgentDescription[] = [];
  const used: Bound['used'] = new Set();
  const tools: Bound['tools'] = {
    options: settings,
    agent: agentNode(environment),
    agentGraph: agentGraph(environment),
    coreWorkflow: coreWorkflow(parts, { taken, used }),
    openSql(limits) {
      used.add(sql);
      return sql.open(limits);
    },
    openTables: runTables(sql.openTables),
    openLibrary() {
      used.add(knowledge);
      return knowledge.open();
    },
  };
  return { tools, taken, used };
}

function coreWorkflow(parts: WorkflowParts, { taken, used }: Omit<Bound, 'tools'>): CoreWorkflow {
  return (name, options = {}) => {
    const names = parts.core.map((one) => one.name);
    const definition = parts.core.find((one) => one.name === name)?.definition;
    if (!definition) throw new Error(`the core has no workflow '${name}'; it has ${names.join(', ')}`);
    // If a project's workflow replaces the core's, the settings of this name belong to that workflow.
    const given = parts.replaced.has(name) ? {} : (parts.settings[name] as object | undefined);
    const settings = workflowSettings(definition, { ...given, ...options }, `workflows.${name}`);
    const inner = workflowTools(name, settings, parts);
    const graph = definition.build(inner.tools).compile({ name });
    taken.push(...definition.agents(settings), ...inner.taken);
    for (const one of inner.used) used.add(one);
    return coreNode(name, graph);
  };
}

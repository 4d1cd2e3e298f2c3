/** Resolves the agent of a path: a workflow by its name, or an assistant by its id. */
import type { RegisteredWorkflow } from '../../runtime/workflows/registered.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import { configurationError, SkeinError } from '../../state/errors.ts';
import { nearest } from '../../state/schema/nearest.ts';
import { type FoundAssistant, findAssistant } from '../langgraph/assistants/find-assistant.ts';
import type { Services } from '../services.ts';
import { workflowNotFound } from '../workflows/find-runnable.ts';
import type { A2AOptions } from './options.ts';

export interface Agent extends FoundAssistant {
  /** The path segment of the agent: the workflow's canonical name, or the assistant's id. */
  pathName: string;
}

/** Throws WORKFLOW_NOT_FOUND, or CONFIGURATION_ERROR if the workflow lacks settings that it requires. */
export async function findAgent(services: Services, request: Request, name: string): Promise<Agent> {
  const workflow = services.registry.find(name);
  const pathName = workflow?.name ?? name;
  const found = await findAssistant(services, request, pathName).catch((error) => {
    throw isUnknownWorkflow(error) ? workflowNotFound(services.registry, 'agent') : error;
  });
  return { ...found, pathName };
}

/**
 * Returns the name of the agent whose card is at `/.well-known/agent-card.json`: the one that `a2a.default` names, or the
 * only workflow. Throws WORKFLOW_NOT_FOUND if there are several workflows and no default.
 */
export function defaultAgentName({
  registry,
  defaultAgent,
}: Pick<Services, 'registry' | 'defaultAgent'>): string {
  if (defaultAgent !== undefined) return defaultAgent;
  const [only, ...others] = runnable(registry);
  if (only && others.length === 0) return only.name;
  throw new SkeinError('WORKFLOW_NOT_FOUND', {
    message: 'No default agent is configured',
    detail: 'set a2a.default to the name of a workflow',
  });
}

/** Throws CONFIGURATION_ERROR if `a2a.default` doesn't name a registered workflow. */
export function checkDefaultAgent(registry: Registry, { default: name }: A2AOptions): void {
  if (name === undefined || registry.find(name)) return;
  const names = registry.workflows.map((workflow) => workflow.name);
  const close = nearest(name, names);
  const hint = close ? `, did you mean '${close}'?` : `; expected one of: ${names.join(', ')}`;
  throw configurationError('a2a.default', `no such workflow${hint}`);
}

function isUnknownWorkflow(error: unknown): boolean {
  return error instanceof SkeinError && ['WORKFLOW_NOT_FOUND', 'INVALID_WORKFLOW_TYPE'].includes(error.code);
}

function runnable({ workflows }: Registry): RegisteredWorkflow[] {
  return workflows.filter(({ graph }) => graph);
}

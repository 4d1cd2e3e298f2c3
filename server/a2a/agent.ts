/** The workflow that a path names, as an agent: by its name, or by the id of an assistant. */
import type { RegisteredWorkflow } from '../../runtime/workflows/registered.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import { configurationError, SkeinError } from '../../state/errors.ts';
import { nearest } from '../../state/schema/nearest.ts';
import { type FoundAssistant, findAssistant } from '../langgraph/assistants/find-assistant.ts';
import type { Services } from '../services.ts';
import type { A2AOptions } from './options.ts';

export interface Agent extends FoundAssistant {
  /** How paths name it. */
  pathName: string;
}

/** Throws WORKFLOW_NOT_FOUND, or CONFIGURATION_ERROR where its settings are missing. */
export async function agentNamed(services: Services, request: Request, name: string): Promise<Agent> {
  const workflow = services.registry.find(name);
  const asked = workflow?.name ?? name;
  const found = await findAssistant(services, request, asked).catch((error) => {
    throw isUnknown(error) ? notFound(services.registry) : error;
  });
  return { ...found, pathName: asked };
}

/** The name of the agent whose card is at the root. Throws WORKFLOW_NOT_FOUND where there is none. */
export function rootAgent({ registry, defaultAgent }: Pick<Services, 'registry' | 'defaultAgent'>): string {
  if (defaultAgent !== undefined) return defaultAgent;
  const [only, ...others] = runnable(registry);
  if (only && others.length === 0) return only.name;
  throw new SkeinError('WORKFLOW_NOT_FOUND', {
    message: 'There is no default agent',
    detail: 'the setting a2a.default names the workflow',
  });
}

/** Throws CONFIGURATION_ERROR where the setting names no workflow. */
export function checkDefaultAgent(registry: Registry, { default: name }: A2AOptions): void {
  if (name === undefined || registry.find(name)) return;
  const names = registry.workflows.map((workflow) => workflow.name);
  const close = nearest(name, names);
  const hint = close ? `, did you mean '${close}'?` : `; there are: ${names.join(', ')}`;
  throw configurationError('a2a.default', `no such workflow${hint}`);
}

function isUnknown(error: unknown): boolean {
  return error instanceof SkeinError && ['WORKFLOW_NOT_FOUND', 'INVALID_WORKFLOW_TYPE'].includes(error.code);
}

function notFound(registry: Registry): SkeinError {
  const names = runnable(registry).map(({ name }) => name);
  return new SkeinError('WORKFLOW_NOT_FOUND', {
    message: 'Agent not found',
    detail: `the agents are ${names.join(', ')}`,
  });
}

function runnable({ workflows }: Registry): RegisteredWorkflow[] {
  return workflows.filter(({ graph }) => graph);
}

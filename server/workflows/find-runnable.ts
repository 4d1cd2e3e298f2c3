/** Finds a workflow by the name that a client of a protocol sends. */
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import { SkeinError } from '../../state/errors.ts';

/** What the protocol calls a workflow. */
export type WorkflowNoun = 'workflow' | 'model' | 'agent';

/** Throws WORKFLOW_NOT_FOUND, or CONFIGURATION_ERROR if the workflow lacks settings that it requires. */
export function findRunnable(registry: Registry, name: string, noun: WorkflowNoun): RunnableWorkflow {
  try {
    return registry.runnable(name);
  } catch (error) {
    if (!(error instanceof SkeinError && error.code === 'INVALID_WORKFLOW_TYPE')) throw error;
    throw workflowNotFound(registry, noun);
  }
}

/** The error for an unknown name, with the names of the workflows that can run. */
export function workflowNotFound({ workflows }: Registry, noun: WorkflowNoun): SkeinError {
  const names = workflows.filter(({ graph }) => graph).map(({ name }) => name);
  return new SkeinError('WORKFLOW_NOT_FOUND', {
    message: `${noun[0]?.toUpperCase()}${noun.slice(1)} not found`,
    detail: `available ${noun}s: ${names.join(', ')}`,
  });
}

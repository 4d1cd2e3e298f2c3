/** Finds an assistant by its id or by the name of its graph. */
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { RunnableWorkflow } from '../../../runtime/workflows/registered.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { StoredAssistant } from '../../../state/resources/assistants.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';

type Parts = Pick<Services, 'registry' | 'assistants'>;

export interface FoundAssistant {
  assistantId: string;
  graphId: string;
  workflow: RunnableWorkflow;
  config: Record<string, unknown>;
  context: Record<string, unknown>;
  metadata: Record<string, unknown>;
  name: string;
}

/**
 * Finds the assistant of a run, with its workflow. Throws WORKFLOW_NOT_FOUND for unknown assistants and for those of other
 * callers. Throws INVALID_WORKFLOW_TYPE or CONFIGURATION_ERROR if its graph cannot run.
 */
export async function findAssistant(services: Parts, request: Request, id: string): Promise<FoundAssistant> {
  const { registry, assistants } = services;
  const found = await assistants.find(ownerOf(request), id);
  if (!found) throw assistantNotFound(services, id);
  const { graph, config, context, metadata, name } = found;
  return {
    ...{ assistantId: found.assistantId, graphId: graph, workflow: registry.runnable(graph) },
    ...{ config, context, metadata, name },
  };
}

/** Finds the assistant of a path, whether or not its graph can run. Throws WORKFLOW_NOT_FOUND. */
export async function findStoredAssistant(
  { assistants }: Pick<Services, 'assistants'>,
  request: Request,
  id: string,
): Promise<StoredAssistant> {
  const found = await assistants.find(ownerOf(request), id);
  if (!found) throw new SkeinError('WORKFLOW_NOT_FOUND', { detail: 'Assistant not found' });
  return found;
}

function assistantNotFound({ registry }: Parts, id: string): SkeinError {
  const isNamed = (name: string) => name === id || assistantId(name) === id.toLowerCase();
  const broken = registry.workflows.find(({ name }) => isNamed(name));
  // If the graph exists but cannot run, this throws the reason.
  if (broken) registry.runnable(broken.name);
  // Echo the id only if it has the form of an id or a name.
  const printable = /^[\w.:-]{1,128}$/.test(id) ? id : '?';
  return new SkeinError('WORKFLOW_NOT_FOUND', {
    detail: `No assistant found for "${printable}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
  });
}

/** Finds the assistant that a run names, by its id or by the name of its graph. */
import { assistantId } from '../../runtime/assistants/system-assistants.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import type { Services } from '../services.ts';

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
 * Throws WORKFLOW_NOT_FOUND for an unknown assistant and for somebody else's. Throws INVALID_WORKFLOW_TYPE or
 * CONFIGURATION_ERROR if its graph cannot run.
 */
export async function findAssistant(
  { registry }: Pick<Services, 'registry'>,
  request: Request,
  id: string,
): Promise<FoundAssistant> {
  ownerOf(request);
  const named = registry.workflows.find(({ name }) => name === id || assistantId(name) === id.toLowerCase());
  if (!named) throw noAssistant(id);
  const { name } = named;
  return {
    assistantId: assistantId(name),
    graphId: name,
    workflow: registry.runnable(name),
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    name,
  };
}

function noAssistant(id: string): SkeinError {
  const shown = /^[\w.:-]{1,128}$/.test(id) ? id : '?';
  return new SkeinError('WORKFLOW_NOT_FOUND', {
    detail: `No assistant found for "${shown}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
  });
}

/** A request to an agent, with access to the caller's tasks. */
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Services } from '../../services.ts';
import type { Agent } from '../agent.ts';
import { artifactsOf, toTask } from './task.ts';
import { type TaskRuns, taskRuns } from './task-runs.ts';

export interface AgentCall {
  agent: Agent;
  owner: string;
  request: Request;
  requestId: string;
  traceparent: string | undefined;
}

/** Throws RUN_NOT_FOUND, also for tasks of other callers and other agents, and INVALID_REQUEST if the id isn't a string. */
export async function findTask(services: Services, call: AgentCall, taskId: unknown): Promise<TaskRuns> {
  // For version 0.3, the package passes `taskId` of a message on without checking its type.
  if (typeof taskId !== 'string')
    throw new SkeinError('INVALID_REQUEST', { detail: 'task id: expected a string' });
  const runs = await taskRuns(services, call.owner, taskId);
  if (runs.first.workflow !== call.agent.graphId) throw new SkeinError('RUN_NOT_FOUND');
  return runs;
}

export interface LoadOptions {
  /** The number of newest messages to include; all if undefined. */
  historyLength?: number | undefined;
  /** Default true. */
  includeArtifacts?: boolean | undefined;
}

/** The task with its history and artifacts. */
export async function loadTask(
  services: Services,
  runs: TaskRuns,
  { historyLength, includeArtifacts = true }: LoadOptions,
) {
  const artifacts = includeArtifacts ? await artifactsOfRuns(services, runs) : [];
  return toTask(runs, { artifacts, historyLength });
}

async function artifactsOfRuns({ runtime }: Services, { last, waiting }: TaskRuns) {
  const run = waiting ?? last;
  if (!run.result) return [];
  const { ended } = await runtime.follow(run.owner, run.runId, { view: ENTRIES, after: 0 }, { orEnd: true });
  return artifactsOf(await ended());
}

/** A request to an agent: who asks, and the agent's tasks that are the caller's. */
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

/** Throws RUN_NOT_FOUND, for somebody else's and another agent's too; INVALID_REQUEST where it is no string. */
export async function foundTask(services: Services, call: AgentCall, taskId: unknown): Promise<TaskRuns> {
  // The package passes on what messages of version 0.3 have here as it is.
  if (typeof taskId !== 'string')
    throw new SkeinError('INVALID_REQUEST', { detail: "expected a task's id as a string" });
  const runs = await taskRuns(services, call.owner, taskId);
  if (runs.first.workflow !== call.agent.graphId) throw new SkeinError('RUN_NOT_FOUND');
  return runs;
}

export interface ShownTask {
  historyLength?: number | undefined;
  /** Default true. */
  includeArtifacts?: boolean | undefined;
}

export async function shownTask(services: Services, runs: TaskRuns, { historyLength, ...shown }: ShownTask) {
  const { includeArtifacts = true } = shown;
  const artifacts = includeArtifacts ? await artifactsOfRuns(services, runs) : [];
  return toTask(runs, { artifacts, historyLength });
}

async function artifactsOfRuns({ runtime }: Services, { last, asking }: TaskRuns) {
  const run = asking ?? last;
  if (!run.result) return [];
  const { ended } = await runtime.follow(run.owner, run.runId, { view: ENTRIES, after: 0 }, { orEnd: true });
  return artifactsOf(await ended());
}

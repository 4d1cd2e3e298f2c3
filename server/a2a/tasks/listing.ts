/** The tasks of an agent, newest first. */
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk';
import { SkeinError } from '../../../state/errors.ts';
import type { Services } from '../../services.ts';
import { type AgentCall, shownTask } from './agent-call.ts';
import { stateOf } from './task.ts';
import { taskRunsOf } from './task-runs.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;
/** Runs that one request looks at, in pages: a rare state may be far away. */
const MAX_PAGES = 20;

/** Throws INVALID_REQUEST. */
export async function listedTasks(
  services: Services,
  call: AgentCall,
  asked: ListTasksRequest,
): Promise<ListTasksResponse> {
  const pageSize = asked.pageSize || DEFAULT_PAGE;
  if (pageSize < 1 || pageSize > MAX_PAGE)
    throw new SkeinError('INVALID_REQUEST', { detail: `pageSize: expected 1 to ${MAX_PAGE}` });
  const thread = asked.contextId
    ? await services.archive.threads.find(call.owner, asked.contextId)
    : undefined;
  if (asked.contextId && !thread) return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
  const filter = { owner: call.owner, workflow: call.agent.graphId, thread: thread?.key };
  const tasks: Task[] = [];
  let after: [string] | undefined = asked.pageToken ? [runIdIn(asked.pageToken)] : undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, next } = await services.archive.runs(filter, { limit: MAX_PAGE, after });
    for (const run of items) {
      // What goes on with a task is part of it.
      if (run.request.resume || run.request.temporary) continue;
      const runs = await taskRunsOf(services, run);
      if (!isAsked(asked, stateOf(runs), runs.last.finishedAt ?? runs.last.createdAt)) continue;
      const before = tasks.at(-1);
      if (tasks.length === pageSize && before)
        return { tasks, nextPageToken: before.id, pageSize, totalSize: 0 };
      const { historyLength, includeArtifacts = false } = asked;
      tasks.push(await shownTask(services, runs, { historyLength, includeArtifacts }));
    }
    // Counted only where all of them are here.
    if (!next) return { tasks, nextPageToken: '', pageSize, totalSize: asked.pageToken ? 0 : tasks.length };
    after = [String(next[0])];
  }
  return { tasks, nextPageToken: after?.[0] ?? '', pageSize, totalSize: 0 };
}

function isAsked({ status, statusTimestampAfter }: ListTasksRequest, state: TaskState, at: number): boolean {
  if (status !== TaskState.TASK_STATE_UNSPECIFIED && status !== state) return false;
  return !statusTimestampAfter || at >= Date.parse(statusTimestampAfter);
}

/** A page begins after a task. */
function runIdIn(pageToken: string): string {
  if (/^[0-9a-f-]{36}$/.test(pageToken)) return pageToken;
  throw new SkeinError('INVALID_REQUEST', {
    detail: 'pageToken: expected the nextPageToken of an earlier page',
  });
}

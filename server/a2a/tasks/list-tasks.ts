/** Lists the tasks of an agent, newest first. */
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk';
import { SkeinError } from '../../../state/errors.ts';
import { timeIn } from '../../http/schemas/time-query.ts';
import type { Services } from '../../services.ts';
import { type AgentCall, loadTask } from './agent-call.ts';
import { stateOf } from './task.ts';
import { taskRunsOf } from './task-runs.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 100;
/** The most pages of runs that one request reads. A filter on a rare state could otherwise read all runs. */
const MAX_PAGES = 20;

/** Throws INVALID_REQUEST. */
export async function listTasks(
  services: Services,
  call: AgentCall,
  request: ListTasksRequest,
): Promise<ListTasksResponse> {
  const pageSize = request.pageSize || DEFAULT_PAGE;
  if (pageSize < 1 || pageSize > MAX_PAGE)
    throw new SkeinError('INVALID_REQUEST', { detail: `pageSize: expected 1 to ${MAX_PAGE}` });
  const since = request.statusTimestampAfter
    ? timeIn('statusTimestampAfter', request.statusTimestampAfter)
    : undefined;
  const thread = request.contextId
    ? await services.archive.threads.find(call.owner, request.contextId)
    : undefined;
  if (request.contextId && !thread) return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
  const filter = { owner: call.owner, workflow: call.agent.graphId, thread: thread?.key };
  const tasks: Task[] = [];
  let after: [string] | undefined = request.pageToken ? [parsePageToken(request.pageToken)] : undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, next } = await services.archive.runs(filter, { limit: MAX_PAGE, after });
    for (const run of items) {
      // A run that resumes a task belongs to that task, which its first run represents.
      if (run.request.resume || run.request.temporary) continue;
      const runs = await taskRunsOf(services, run);
      if (request.status !== TaskState.TASK_STATE_UNSPECIFIED && request.status !== stateOf(runs)) continue;
      if (since !== undefined && (runs.last.finishedAt ?? runs.last.createdAt) < since) continue;
      const before = tasks.at(-1);
      if (tasks.length === pageSize && before)
        return { tasks, nextPageToken: before.id, pageSize, totalSize: 0 };
      const { historyLength, includeArtifacts = false } = request;
      tasks.push(await loadTask(services, runs, { historyLength, includeArtifacts }));
    }
    // The total is only known if all tasks are on the first page.
    if (!next) return { tasks, nextPageToken: '', pageSize, totalSize: request.pageToken ? 0 : tasks.length };
    after = [String(next[0])];
  }
  return { tasks, nextPageToken: after?.[0] ?? '', pageSize, totalSize: 0 };
}

/** A page token is the id of the last run of the previous page. */
function parsePageToken(pageToken: string): string {
  if (/^[0-9a-f-]{36}$/.test(pageToken)) return pageToken;
  throw new SkeinError('INVALID_REQUEST', {
    detail: 'pageToken: expected the nextPageToken of an earlier page',
  });
}

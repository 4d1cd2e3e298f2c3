/** Lists runs by LangGraph's statuses. A status of LangGraph may correspond to several stored statuses. */
import type { Archive, RunFilter } from '../../../state/threads/archive.ts';
import type { Run } from '../../../state/threads/runs.ts';
import { type RunStatus, statusOf } from './run-body.ts';

export interface RunPage {
  limit: number;
  offset: number;
  status?: RunStatus | undefined;
}

const PAGE = 100;

/** Returns a page of runs, newest first. */
export async function listRuns(archive: Archive, filter: RunFilter, page: RunPage): Promise<Run[]> {
  const { limit, offset, status } = page;
  const storedStatus = status === 'pending' ? 'queued' : status === 'running' ? 'running' : undefined;
  const runs: Run[] = [];
  let after: [string] | undefined;
  while (runs.length < offset + limit) {
    const { items, next } = await archive.runs({ ...filter, status: storedStatus }, { limit: PAGE, after });
    runs.push(...items.filter((run) => status === undefined || statusOf(run) === status));
    if (!next) break;
    after = [String(next[0])];
  }
  return runs.slice(offset, offset + limit);
}

/** Runs by LangGraph's statuses, of which each stands for one or several of ours. */
import type { Archive, RunFilter } from '../../../state/archive.ts';
import type { Run } from '../../../state/runs.ts';
import { type RunStatus, statusOf } from './run-body.ts';

export interface RunPage {
  limit: number;
  offset: number;
  status?: RunStatus | undefined;
}

const PAGE = 100;

/** Newest first. */
export async function runsOf(archive: Archive, filter: RunFilter, page: RunPage): Promise<Run[]> {
  const { limit, offset, status } = page;
  const own = status === 'pending' ? 'queued' : status === 'running' ? 'running' : undefined;
  const found: Run[] = [];
  let after: [string] | undefined;
  while (found.length < offset + limit) {
    const { items, next } = await archive.runs({ ...filter, status: own }, { limit: PAGE, after });
    found.push(...items.filter((run) => status === undefined || statusOf(run) === status));
    if (!next) break;
    after = [String(next[0])];
  }
  return found.slice(offset, offset + limit);
}

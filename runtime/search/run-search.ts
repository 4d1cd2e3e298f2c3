/** Searches the texts of runs, and adds ended runs to the search index. */
import type { Logger } from 'pino';
import type { Sweeps } from '../../state/cluster/sweeps.ts';
import type { RunSearch, SearchHit, SearchQuery } from '../../state/search/search.ts';
import type { Page, PageRequest } from '../../state/threads/archive.ts';
import { periodic } from '../periodic.ts';

interface Found extends Page<SearchHit> {
  /** False if ended runs are still missing from the index. */
  isComplete: boolean;
}

export interface SearchRuns {
  find(query: SearchQuery, page: PageRequest<[entry: number]>): Promise<Found>;
  /** Adds ended runs periodically, so that a search doesn't have to wait for all of them. */
  start(): void;
  /** Resolves when no run is being added. */
  stop(): Promise<void>;
}

// Runs per batch: a few milliseconds of work for the database.
const RUNS = 20;
// Often for a database in this process, whose cache still has the texts of runs that have just ended. Not for a shared one,
// because each server writes to it to find out whether another one is adding runs.
const EVERY_MS = 5_000;
const EVERY_SHARED_MS = 60_000;
const MAX_WAIT_MS = 2_000;

export function runSearching({
  search,
  sweeps,
  isShared,
  log,
}: {
  search: RunSearch;
  sweeps: Sweeps;
  isShared: boolean;
  log: Logger;
}): SearchRuns {
  const failed = (err: unknown) => log.error({ err }, 'runs cannot be added to the search index');
  const adding = periodic(() => sweeps.runExclusively('search', addAll), {
    everyMs: isShared ? EVERY_SHARED_MS : EVERY_MS,
    failed,
  });

  async function addAll(): Promise<void> {
    while (!adding.stopped && (await search.add(RUNS)) > 0) await Bun.sleep(0);
  }

  /** Adds the ended runs for at most two seconds. Returns whether all were added. */
  async function catchUp(): Promise<boolean> {
    const until = performance.now() + MAX_WAIT_MS;
    while ((await search.add(RUNS)) > 0) if (performance.now() > until) return false;
    return true;
  }

  return {
    async find(query, page) {
      const isComplete = await catchUp().catch((error) => {
        failed(error);
        return false;
      });
      return { ...(await search.find(query, page)), isComplete };
    },
    start: adding.start,
    stop: adding.stop,
  };
}

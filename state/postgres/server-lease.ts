/**
 * The lease of this server in the database. A server is alive as long as it renews its lease in time. If it was paused for
 * longer, it has lost its runs and continues with a new id.
 */
import type { StopReason } from '../threads/coordination.ts';
import { type Database, document } from './database/database.ts';

export interface ServerLease {
  /** The current id, with which the server claims and writes runs. */
  id(): string;
  /** Ends the lease. All runs must have been released. */
  leave(): Promise<void>;
}

export interface ServerLeaseParts {
  database: Database;
  leaseSeconds: number;
  /** Ids of runs that this server accepted and that are waiting. */
  waiting(): string[];
  /** Ids of runs that this server knows it has claimed. */
  held(): string[];
  /** Timeout of a statement in milliseconds. */
  timeoutMs: number;
  /** Called after each renewal. */
  found(news: Renewed): void;
  /** Called if the lease had expired: other servers may have claimed its runs. */
  lost(): void;
}

interface Renewed {
  stops: { runId: string; reason: StopReason }[];
  /** Ids of runs that this server accepted and that another server has claimed or ended. */
  elsewhere: string[];
  /** Whether any run is queued, or belongs to a server whose lease has expired. */
  ready: boolean;
  /** Whether webhooks or crons that a crashed server had taken are due again. */
  freed: boolean;
}

// A run only counts a crash when it is claimed. The function runs after the snapshot in which no run is left.
const WAKE = `SELECT skein.woke_v1($1), EXISTS (
  SELECT 1 FROM skein.runs WHERE server = $1 AND finished_at IS NULL AND status = 'running') AS left`;

/** Registers this server in the database. */
export async function joinServers(parts: ServerLeaseParts): Promise<ServerLease> {
  const { database, leaseSeconds, waiting, held, timeoutMs, found, lost } = parts;
  let id = Bun.randomUUIDv7();
  /** Earlier ids, until each of their runs is claimed and the database has recorded that this server did not crash. */
  const earlier: string[] = [];
  let renewing: Promise<void> | undefined;
  let stopped = false;
  await join();
  const timer = setInterval(renew, (leaseSeconds * 1000) / 4);
  timer.unref();

  function join(): Promise<unknown> {
    return database.get('SELECT skein.join_v1($1, $2)', id, leaseSeconds);
  }

  /** Ignores failures: when the database is reachable again, its clock decides whether the lease has expired. */
  function renew(): Promise<void> {
    renewing ??= renewOnce()
      .catch(() => {})
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  }

  async function renewOnce(): Promise<void> {
    if (stopped) return;
    const row = await database.get<{ news: Renewed | null }>(
      'SELECT skein.renew_v1($1, $2, $3::text::jsonb, $4::text::jsonb, $5) AS news',
      ...[id, leaseSeconds, document(waiting()), document(held()), timeoutMs],
    );
    if (row?.news) {
      found(row.news);
      return wake();
    }
    earlier.push(id);
    id = Bun.randomUUIDv7();
    lost();
    await join();
    found({ stops: [], elsewhere: [], ready: true, freed: false });
    await wake();
  }

  /** Reports earlier ids as alive, again with each renewal until all of their runs have been claimed. */
  async function wake(): Promise<void> {
    for (const one of [...earlier]) {
      const row = await database.get<{ left: boolean }>(WAKE, one);
      if (row && !row.left) earlier.splice(earlier.indexOf(one), 1);
    }
  }

  return {
    id: () => id,
    async leave() {
      stopped = true;
      clearInterval(timer);
      await renewing;
      await database.get('SELECT skein.leave_v1($1)', id).catch(() => {});
    },
  };
}

/**
 * This server among those of the database: it lives as long as it renews its lease in time. One that was paused for longer
 * has lost its runs, and goes on under another id.
 */
import type { StopReason } from '../coordination.ts';
import { type Database, document } from './database/database.ts';

export interface ServerLease {
  /** The id under which it claims and writes, as it is now. */
  id(): string;
  /** Gives the id back; the runs must have been released. */
  leave(): Promise<void>;
}

export interface ServerLeaseParts {
  database: Database;
  leaseSeconds: number;
  /** Runs that were accepted here and wait. */
  waiting(): string[];
  /** Runs that this server knows to have. */
  held(): string[];
  /** After so long a statement without an answer is given up. */
  answerMs: number;
  /** What the renewal has found. */
  found(news: Renewed): void;
  /** The lease was over: its runs are others' by now. */
  lost(): void;
}

interface Renewed {
  stops: { runId: string; reason: StopReason }[];
  /** Runs that were accepted here and that another server has, or has ended. */
  elsewhere: string[];
  /** Whether some run waits for its turn, or for another server. */
  ready: boolean;
  /** Whether webhooks or crons that a server had taken which is gone are due again. */
  freed: boolean;
}

/** Resolves when the server is known to the others. */
export async function joinServers(parts: ServerLeaseParts): Promise<ServerLease> {
  const { database, leaseSeconds, waiting, held, answerMs, found, lost } = parts;
  let id = Bun.randomUUIDv7();
  /** Earlier ids, until the database knows that this server did not die. */
  const earlier: string[] = [];
  let going: Promise<void> | undefined;
  let stopped = false;
  await join();
  const timer = setInterval(renew, (leaseSeconds * 1000) / 4);
  timer.unref();

  function join(): Promise<unknown> {
    return database.get('SELECT skein.join_v1($1, $2)', id, leaseSeconds);
  }

  /** While the database cannot be reached nothing is decided: its clock says whether the lease was over. */
  function renew(): Promise<void> {
    going ??= renewed()
      .catch(() => {})
      .finally(() => {
        going = undefined;
      });
    return going;
  }

  async function renewed(): Promise<void> {
    if (stopped) return;
    const row = await database.get<{ news: Renewed | null }>(
      'SELECT skein.renew_v1($1, $2, $3::text::jsonb, $4::text::jsonb, $5) AS news',
      ...[id, leaseSeconds, document(waiting()), document(held()), answerMs],
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

  /** What could not be said is said with the next renewal. */
  async function wake(): Promise<void> {
    for (const one of [...earlier]) {
      await database.get('SELECT skein.woke_v1($1)', one);
      earlier.shift();
    }
  }

  return {
    id: () => id,
    async leave() {
      stopped = true;
      clearInterval(timer);
      await going;
      await database.get('SELECT skein.leave_v1($1)', id).catch(() => {});
    },
  };
}

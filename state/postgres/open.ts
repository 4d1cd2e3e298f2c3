/** Opens the state on PostgreSQL, which several servers can share: migrates the schema and creates all stores. */

import { LeasedSaver } from '../driver/checkpoints/run-saver.ts';
import type { OpenedState } from '../opened-state.ts';
import type { Hint } from '../threads/coordination.ts';
import { archive } from './archive.ts';
import { assistants } from './assistants/assistants.ts';
import { budgetStore } from './budgets/budgets.ts';
import { checkpointArchive } from './checkpoints/checkpoint-archive.ts';
import { checkpointPruning } from './checkpoints/prune.ts';
import { PostgresSaver } from './checkpoints/saver.ts';
import { minuteCounters } from './counters/counters.ts';
import { crons } from './crons/crons.ts';
import { collectEarlyStatistics } from './database/early-statistics.ts';
import type { Migrated } from './database/migrate.ts';
import { openMigrated, refused } from './database/open-migrated.ts';
import { reachability } from './database/reachable.ts';
import { documentAuthors } from './document-authors.ts';
import { erasure } from './erasure.ts';
import { feedbackStore } from './feedback.ts';
import { follows } from './follows.ts';
import { type Hints, type News, openHints } from './hints.ts';
import { items } from './items/items.ts';
import { messages } from './messages.ts';
import { promptFiles } from './prompts/prompt-files.ts';
import { coordination } from './runs/coordination.ts';
import { eventLog } from './runs/event-log.ts';
import { heldLeases } from './runs/held-leases.ts';
import { runs } from './runs/runs.ts';
import { settleDeltas } from './runs/settle-deltas.ts';
import { writeQueue } from './runs/write-queue.ts';
import { runSearch } from './search/search.ts';
import { joinServers, type ServerLease } from './server-lease.ts';
import { spentTokens } from './spent-tokens.ts';
import { sweeps } from './sweeps.ts';
import { retentionHour } from './threads/retention-hour.ts';
import { threadStore } from './threads/thread-store.ts';
import { usageStore } from './usage/usage.ts';
import { webhooks } from './webhooks/webhooks.ts';

export interface PostgresOptions {
  /** postgres://user:password@host:port/database */
  url: string;
  /** Number of connections, in addition to the one for notifications. */
  poolSize: number;
  /** How long a server without a heartbeat keeps its runs. */
  leaseSeconds: number;
  /** The number of checkpoints to keep per thread, in addition to its head. */
  checkpointsPerThread: number;
  /** Called if the schema was migrated. */
  migrated?: ((versions: Migrated) => void) | undefined;
}

/** Throws CONFIGURATION_ERROR if the database cannot be reached or used. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedState> {
  const { url, poolSize, leaseSeconds, checkpointsPerThread: keep } = options;
  const timeoutMs = Math.max(2_000, leaseSeconds * 1000);
  const database = await openMigrated({ url, size: poolSize, timeoutMs, migrated: options.migrated });
  const closing = async (error: unknown): Promise<never> => {
    await database.close();
    throw refused(error);
  };
  const listeners = new Set<(hint: Hint) => void>();
  /** Ids of runs that this server accepted and that are waiting. */
  const waiting = new Set<string>();
  const held = heldLeases();
  const notify = (hint: Hint) => {
    for (const listen of listeners) listen(hint);
  };
  function elsewhere(runIds: string[]): void {
    for (const runId of runIds) if (waiting.delete(runId)) notify({ kind: 'elsewhere', runId });
  }
  function hear({ ready, stops = [], claimed = [], progress = [], follows = [] }: News): void {
    for (const stop of stops) notify({ kind: 'stop', ...stop });
    elsewhere(claimed);
    for (const runId of progress) notify({ kind: 'progress', runId });
    for (const runId of follows) if (held.has(runId)) notify({ kind: 'followed', runId });
    if (ready) notify({ kind: 'ready' });
  }
  const server = () => lease.id();
  const hooks = webhooks(database, server);
  const cronStore = crons(database, server);
  const budgets = budgetStore({ database, server });
  const lease: ServerLease = await joinServers({
    database,
    leaseSeconds,
    waiting: () => [...waiting],
    held: held.runIds,
    timeoutMs,
    found(news) {
      for (const stop of news.stops) notify({ kind: 'stop', ...stop });
      elsewhere(news.elsewhere);
      if (news.ready) notify({ kind: 'ready' });
      if (!news.freed) return;
      hooks.added();
      cronStore.freed();
    },
    lost() {
      for (const runId of held.runIds()) notify({ kind: 'lost', runId });
      held.clear();
      budgets.serverChanged();
    },
  }).catch(closing);
  const hints: Hints = await openHints(database, lease.id(), hear).catch(async (error) => {
    await lease.leave();
    return closing(error);
  });
  const queue = writeQueue({
    ...{ database, server: lease.id, retryForMs: leaseSeconds * 1000 },
    lost(runLease) {
      // This server may have claimed the run again.
      if (!held.holds(runLease)) return;
      held.remove(runLease);
      notify({ kind: 'lost', runId: runLease.runId });
    },
  });
  const following = follows(hints);
  const stopStatistics = collectEarlyStatistics(database);
  const saver = new PostgresSaver({ database, queue });
  return {
    shared: true,
    threads: threadStore(database, checkpointPruning, lease.id),
    runs: runs(database),
    coordination: coordination({
      ...{ database, queue, hints, listeners, waiting, held, notify, keep },
      retryForMs: leaseSeconds * 1000,
      server: lease.id,
      settleDeltas: (threadKey, prunes) => settleDeltas(database, { threadKey, prunes, keep }),
      webhookAdded: hooks.added,
      follow: following.follow,
    }),
    messages: messages(database),
    events: eventLog({ database, queue, hints }),
    feedback: feedbackStore(database),
    webhooks: hooks,
    items: items(database),
    usage: usageStore(database),
    search: runSearch(database),
    budgets,
    sweeps: sweeps(database),
    leases: sweeps(database, leaseSeconds * 1000),
    retentionHour: retentionHour(database),
    promptFiles: promptFiles(database),
    archive: archive({ database, checkpoints: checkpointPruning, reading: checkpointArchive(database) }),
    spentTokens: spentTokens(database),
    counters: minuteCounters(database),
    documentAuthors: documentAuthors(database),
    erasure: erasure(database),
    assistants: assistants(database),
    crons: cronStore,
    checkpointer: saver,
    saverOf: (run) => new LeasedSaver(new PostgresSaver({ database, queue, writer: run }), run),
    async durable(runId) {
      await queue.written();
      // The message makes this a commit that waits for the disk, which also flushes all earlier commits.
      const row = await database.get<{ is_stored: boolean }>(
        `SELECT pg_logical_emit_message(true, 'skein', '') IS NOT NULL
           AND ($1::text IS NULL OR EXISTS (SELECT 1 FROM skein.runs WHERE run_id = $1)) AS is_stored`,
        runId ?? null,
      );
      return row?.is_stored ?? false;
    },
    reachable: reachability(database),
    async check() {
      const row = await database.get<{ bytes: number }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      return { bytes: row?.bytes ?? 0 };
    },
    async close() {
      stopStatistics();
      await queue.idle();
      following.close();
      hints.close();
      await lease.leave();
      await database.close();
    },
  };
}

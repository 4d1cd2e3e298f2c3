/** Coordination of any number of servers on PostgreSQL. The decisions are made by the SQL functions in functions/. */

import { isLeaseLost, LeaseLost } from '../../cluster/lease.ts';
import { type ThreadRow, toThread } from '../../driver/rows.ts';
import type {
  Acceptance,
  Admission,
  Claim,
  Coordination,
  Hint,
  IdempotencyMatch,
  StopReason,
} from '../../threads/coordination.ts';
import { FIRST_ATTEMPT, type NewRun } from '../../threads/runs.ts';
import { storedModels } from '../../usage/model-usage.ts';
import { answerOf } from '../database/answer-of.ts';
import { type Database, document } from '../database/database.ts';
import type { Hints } from '../hints.ts';
import { type ClaimRow, toClaim } from './claim-row.ts';
import { endDocument } from './end-document.ts';
import type { HeldLeases } from './held-leases.ts';
import { newRunDocument } from './new-run-document.ts';
import type { RunWriteQueue } from './write-queue.ts';
import { writtenEnd } from './written-end.ts';

export interface CoordinationParts {
  database: Database;
  queue: RunWriteQueue;
  hints: Hints;
  /** The current id of this server. */
  server(): string;
  /** The number of checkpoints to keep per thread, in addition to its head. */
  keep: number;
  /** Moves task writes to delta channels to steps after a run of the thread has ended. */
  settleDeltas(threadKey: string, prunes: boolean): Promise<void>;
  /** Calls all listeners. */
  notify(hint: Hint): void;
  listeners: Set<(hint: Hint) => void>;
  /** Ids of runs that this server accepted and that are waiting, unless another server has claimed them. */
  waiting: Set<string>;
  held: HeldLeases;
  /** How long to retry the end of a run while the database is unreachable. */
  retryForMs: number;
  /** Called when the end of a run has added a webhook delivery. */
  webhookAdded(): void;
  /** Subscribes to `progress` of a run on another server. */
  follow(runId: string): () => void;
}

type AcceptRow =
  | { outcome: 'accepted'; thread: ThreadRow; starts: boolean; replaced: string[] }
  | { outcome: 'interrupted'; interrupt: string }
  | Exclude<Acceptance, { outcome: 'accepted' } | { outcome: 'interrupted' }>;

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export function coordination(parts: CoordinationParts): Coordination {
  const { database, queue, hints, server, keep, settleDeltas, notify, listeners, waiting, held } = parts;

  function stopped(runIds: string[], reason: StopReason): void {
    if (runIds.length === 0) return;
    hints.send({ stops: runIds.map((runId) => ({ runId, reason })) });
    for (const runId of runIds) notify({ kind: 'stop', runId, reason });
  }

  /** Returns undefined if the server with the id `by` has lost its lease since: any server can claim the run then. */
  function claimed(row: ClaimRow, by: string): Claim | undefined {
    if (by !== server()) return undefined;
    // Notifies the server that accepted the run.
    if (!waiting.delete(row.runId)) hints.send({ claimed: [row.runId] });
    const claim = toClaim(row);
    held.add(claim.lease);
    return claim;
  }

  async function accept(run: NewRun, admission: Admission): Promise<Acceptance> {
    const by = server();
    const answer = await answerOf<AcceptRow>(
      database,
      'SELECT skein.accept_v1($1::text::jsonb, $2::text::jsonb, $3) AS answer',
      ...[document(newRunDocument(run)), JSON.stringify(admission), by],
    );
    if (answer.outcome === 'interrupted') {
      const { interrupts } = JSON.parse(answer.interrupt) as { interrupts: { value: unknown }[] };
      return { outcome: 'interrupted', value: interrupts[0]?.value ?? null };
    }
    if (answer.outcome !== 'accepted') return answer;
    const thread = toThread(answer.thread);
    const lease = { runId: run.runId, number: answer.starts ? 1 : 0 };
    const starts = answer.starts && by === server();
    if (starts) held.add(lease);
    else waiting.add(run.runId);
    if (!answer.starts && !admission.claim) hints.send({ ready: true });
    stopped(answer.replaced, run.request.protocol?.strategy === 'rollback' ? 'rollback' : 'cancel');
    const claim = { lease, thread, attempt: FIRST_ATTEMPT, checkpoint: null, stop: null };
    return {
      outcome: 'accepted',
      threadKey: thread.key,
      lease,
      claim: starts ? claim : undefined,
    };
  }

  return {
    async findByIdempotencyKey(owner, { key, digest }) {
      const answer = await answerOf<IdempotencyMatch | null>(
        database,
        'SELECT skein.repeated_v1($1, $2, $3, $4) AS answer',
        ...[owner, key, digest, Date.now() - IDEMPOTENCY_MS],
      );
      return answer ?? undefined;
    },
    accept,
    async claim(limit) {
      const by = server();
      const claims = await answerOf<ClaimRow[]>(
        database,
        'SELECT skein.claim_v1($1, $2) AS answer',
        limit,
        by,
      );
      return claims.flatMap((claim) => claimed(claim, by) ?? []);
    },
    async spend(lease, { inputTokens: input, outputTokens: output, models }) {
      const usage = { input, output, models: storedModels(models) };
      const written = queue.add({ threadKey: '', lease }, { usage }, 'soon');
      await written.catch((error: unknown) => {
        if (!isLeaseLost(error)) throw error;
      });
    },
    async release(lease) {
      const unit = { threadKey: '', lease };
      // Ignore failed writes: the server that continues the run does the work again.
      await queue.settled(unit).catch(() => {});
      queue.forget(unit);
      waiting.delete(lease.runId);
      held.remove(lease);
      await database.run(
        `UPDATE skein.runs SET status = 'queued', server = NULL
         WHERE run_id = $1 AND lease = $2 AND finished_at IS NULL`,
        ...[lease.runId, lease.number],
      );
      hints.send({ ready: true });
    },
    async end(lease, end, more) {
      const unit = { threadKey: end.run.threadKey, lease };
      const by = server();
      const taken = await queue.take(unit);
      const ended = endDocument(lease, end, { keep, ...taken.writes, more });
      const written = writtenEnd({ database, server: by, retryForMs: parts.retryForMs }, end, ended);
      const { outcome, claim, waits } = await written.catch((error: unknown) => {
        taken.failed(error);
        throw error;
      });
      if (outcome === 'lost') {
        held.remove(lease);
        taken.failed(new LeaseLost(lease));
        throw new LeaseLost(lease);
      }
      taken.committed();
      queue.forget(unit);
      waiting.delete(lease.runId);
      held.remove(lease);
      hints.progress(lease.runId);
      if (end.run.request.protocol?.webhook) parts.webhookAdded();
      if (outcome === 'deltas') await settleDeltas(unit.threadKey, ended.tidy === 'prune');
      const next = claim ? claimed(claim, by) : undefined;
      // Sent to all servers, so only if there is a run to claim.
      if (waits && next?.thread.key !== unit.threadKey) hints.send({ ready: true });
      return next;
    },
    async requestStop(runId, reason) {
      await database.run(
        'UPDATE skein.runs SET stop = $1 WHERE run_id = $2 AND finished_at IS NULL',
        reason,
        runId,
      );
      stopped([runId], reason);
    },
    async closeThread(key) {
      const runs = await database.all<{ run_id: string }>(
        `WITH closed AS (UPDATE skein.threads SET closed_by = $2 WHERE key = $1)
         UPDATE skein.runs SET stop = 'cancel' WHERE thread = $1 AND finished_at IS NULL RETURNING run_id`,
        ...[Number(key), server()],
      );
      const ids = runs.map(({ run_id }) => run_id);
      stopped(ids, 'cancel');
      return ids;
    },
    async openThread(key) {
      await database.run('UPDATE skein.threads SET closed_by = NULL WHERE key = $1', Number(key));
    },
    isHeld: held.holds,
    watch(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    follow: parts.follow,
    isFollowed: hints.isFollowed,
  };
}

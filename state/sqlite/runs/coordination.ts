/** Coordination on SQLite. Only one process uses the file, so runs that are running when it opens belong to a crashed one. */
import type { Database } from 'bun:sqlite';
import { type Lease, LeaseLost } from '../../cluster/lease.ts';
import { keyOf, type ThreadRow, toThread } from '../../driver/rows.ts';
import { ttlColumns } from '../../driver/thread-ttl.ts';
import type {
  Acceptance,
  Admission,
  Claim,
  Coordination,
  Hint,
  IdempotencyMatch,
  StopReason,
} from '../../threads/coordination.ts';
import { FIRST_ATTEMPT, type NewRun, type RunEnd } from '../../threads/runs.ts';
import { storedModels } from '../../usage/model-usage.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { type ClaimableRow, coordinationStatements } from './coordination-statements.ts';

export interface CoordinationParts {
  db: Database;
  commit: GroupCommit;
  /** Writes the end of a run inside a transaction; returns false if it had already ended or the lease is lost. */
  end(lease: Lease, end: RunEnd): boolean;
}

interface Accepted {
  acceptance: Acceptance;
  /** Ids of the runs that the accepted run replaces. */
  replaced: string[];
  reason?: StopReason;
}

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export function coordination({ db, commit, end }: CoordinationParts): Coordination {
  const sql = coordinationStatements(db);
  const listeners = new Set<(hint: Hint) => void>();
  /** Runs of a process that has crashed. */
  const crashed = new Set(sql.running.all().map(({ run_id }) => run_id));
  sql.openAll.run();

  function accept(run: NewRun, admission: Admission): Accepted {
    const known = run.idempotency && repeated(run.owner, run.idempotency, run.createdAt);
    if (known) return { acceptance: known, replaced: [] };
    const { owner, threadId, title, workflow, createdAt } = run;
    const before = sql.thread.get(owner, threadId);
    const turns = before ? countIn(sql.unfinished.get(before.key)) : 0;
    const isDue = (run.notBefore ?? 0) <= Date.now();
    const refused =
      refusal(before?.closing === 1, turns, admission) ??
      (isDue ? fullNow(turns, admission) : fullLater(before?.key, admission));
    if (refused) return { acceptance: refused, replaced: [] };
    if (run.follows && !standsAt(run.follows, before, turns))
      return { acceptance: { outcome: 'moved' }, replaced: [] };
    const row = before ?? sql.insertThread.get(owner, threadId, title, workflow, createdAt);
    if (!row) throw new Error('A thread that was just inserted does not exist');
    // A thread that was created without a turn has no title.
    if (row.title === '') sql.nameThread.run(title, row.key);
    const { resume, supersedes, protocol, response } = run.request;
    const temporary = run.request.temporary ? 1 : 0;
    if (row.temporary !== temporary) sql.setTemporary.run(temporary, row.key);
    const stamp = protocol ? { graph_id: workflow, assistant_id: protocol.assistantId } : {};
    const keepsAll = protocol || response?.store;
    const updated = keepsAll && sql.keepAll.get(JSON.stringify(stamp), workflow, row.key);
    if (run.threadTtl) sql.giveTtl.run(...ttlColumns(run.threadTtl), createdAt, row.key);
    const thread = toThread(updated || row);
    if (resume && thread.interrupt?.runId !== resume.runId) {
      return { acceptance: { outcome: 'answered' }, replaced: [] };
    }
    // Only checked without waiting turns: those decide later whether the thread waits for a person.
    if (thread.interrupt && !resume && !supersedes && !protocol && turns === 0) {
      return {
        acceptance: { outcome: 'interrupted', value: thread.interrupt.interrupts[0]?.value ?? null },
        replaced: [],
      };
    }
    const starts = turns === 0 && admission.claim && isDue;
    const lease = { runId: run.runId, number: starts ? 1 : 0 };
    insert(run, row.key, lease.number);
    const claim = starts
      ? { lease, thread, attempt: FIRST_ATTEMPT, checkpoint: null, stop: null }
      : undefined;
    const reason = protocol?.strategy === 'rollback' ? 'rollback' : 'cancel';
    return {
      acceptance: { outcome: 'accepted', threadKey: thread.key, lease, claim },
      replaced: replacedBy(run, row.key, reason).map(({ run_id }) => run_id),
      reason,
    };
  }

  function standsAt(
    { runId, head }: NonNullable<NewRun['follows']>,
    thread: ThreadRow | null,
    turns: number,
  ): boolean {
    if (!thread) return false;
    return turns > 0 ? sql.lastUnfinished.get(thread.key)?.run_id === runId : thread.head === head;
  }

  function replacedBy({ runId, request }: NewRun, thread: number, reason: StopReason): { run_id: string }[] {
    const { supersedes, protocol } = request;
    if (supersedes) return sql.supersede.all(thread, runId);
    const { strategy } = protocol ?? {};
    return strategy === 'interrupt' || strategy === 'rollback'
      ? sql.stopOthers.all(reason, thread, runId)
      : [];
  }

  function repeated(
    owner: string,
    { key, digest }: { key: string; digest: string },
    now: number,
  ): IdempotencyMatch | undefined {
    const row = sql.key.get(owner, key, now - IDEMPOTENCY_MS);
    if (!row) return undefined;
    if (row.digest !== digest) return { outcome: 'mismatch' };
    return { outcome: 'repeated', runId: row.run_id, threadId: row.thread_id, messageId: row.message_id };
  }

  function refusal(closing: boolean, turns: number, { strategy }: Admission): Acceptance | undefined {
    if (closing) return { outcome: 'closing' };
    return strategy === 'reject' && turns > 0 ? { outcome: 'busy' } : undefined;
  }

  function fullNow(turns: number, { perThread, queued, claim }: Admission): Acceptance | undefined {
    if (turns > perThread) return { outcome: 'full', of: 'thread' };
    const waits = turns > 0 || !claim;
    return waits && countIn(sql.queued.get()) >= queued ? { outcome: 'full', of: 'all' } : undefined;
  }

  /** Runs with a start time in the future don't block other runs, so they are counted separately. */
  function fullLater(thread: number | undefined, { perThread, queued }: Admission): Acceptance | undefined {
    const ofThread = thread === undefined ? 0 : countIn(sql.scheduledOn.get(thread));
    if (ofThread >= perThread) return { outcome: 'full', of: 'thread' };
    return countIn(sql.scheduled.get()) >= queued ? { outcome: 'full', of: 'all' } : undefined;
  }

  function insert(run: NewRun, thread: number, lease: number): void {
    const { runId, owner, messageId, workflow, request, createdAt, notBefore, idempotency } = run;
    const [status, startedAt] = lease > 0 ? ['running', createdAt] : ['queued', null];
    const text = JSON.stringify(request);
    const values = [runId, thread, owner, messageId, workflow] as const;
    sql.insertRun.run(...values, status, text, createdAt, startedAt, lease, notBefore ?? null);
    if (!idempotency) return;
    sql.forgetKeys.run(createdAt - IDEMPOTENCY_MS);
    sql.insertKey.run(owner, idempotency.key, idempotency.digest, runId, createdAt);
  }

  function claim(limit: number): Claim[] {
    const orphaned = crashed.size > 0 ? sql.orphanedReady.all(JSON.stringify([...crashed]), limit) : [];
    const more = limit - orphaned.length;
    const queued = [...sql.ready.all(more), ...sql.readyScheduled.all(more)]
      .toSorted((a, b) => a.position - b.position)
      .slice(0, more);
    return [...orphaned, ...queued].map(take);
  }

  function take(row: ClaimableRow): Claim {
    const { run_id: runId, thread, status, attempt, lease, stop } = row;
    const key = keyOf(thread);
    const number = lease + 1;
    const { checkpoint = null, newest = null } = lease > 0 ? (sql.newest.get(key, runId) ?? {}) : {};
    // A run that was released by an orderly stop is queued, which does not count as a crash.
    const crashed = status === 'running';
    const crashes = row.deaths_newest === newest ? row.deaths + 1 : 1;
    const deaths = crashed ? { count: crashes, newest } : { count: row.deaths, newest: row.deaths_newest };
    const next = { number: crashed ? attempt + 1 : attempt, deaths };
    sql.take.run(Date.now(), next.number, deaths.count, deaths.newest, number, runId);
    const found = sql.threadByKey.get(thread);
    if (!found) throw new Error('The thread of a run does not exist');
    return { lease: { runId, number }, thread: toThread(found), attempt: next, checkpoint, stop };
  }

  /** Removes committed claims from `left`. */
  function claimed(claims: Claim[]): Claim[] {
    for (const { lease } of claims) crashed.delete(lease.runId);
    return claims;
  }

  /** Notifies listeners after a short delay, so that a run that was accepted in the same transaction starts first. */
  async function notifyStop(runIds: string[], reason: StopReason): Promise<void> {
    await new Promise(setImmediate);
    for (const runId of runIds) for (const listen of listeners) listen({ kind: 'stop', runId, reason });
  }

  return {
    findByIdempotencyKey: async (owner, idempotency) => {
      commit.flush();
      return repeated(owner, idempotency, Date.now());
    },
    async accept(run, admission) {
      const {
        acceptance,
        replaced,
        reason = 'cancel',
      } = await commit.commit(`${run.owner}/${run.threadId}`, () => accept(run, admission));
      if (replaced.length > 0) await notifyStop(replaced, reason);
      return acceptance;
    },
    claim: async (limit) => claimed(await commit.commit('claim', () => claim(limit))),
    spend({ runId, number }, { inputTokens, outputTokens, models }) {
      const stored = storedModels(models);
      return commit.defer(runId, () => void sql.spend.run(inputTokens, outputTokens, stored, runId, number));
    },
    release: ({ runId, number }) => commit.write(runId, () => void sql.release.run(runId, number)),
    async end(lease, ended, more) {
      // The same unit as the run's checkpoints, so that a failed checkpoint rolls back the end, too.
      let next: Claim[] = [];
      const write = commit.write(lease.runId, () => {
        // If this lease has already ended the run, keep the stored end.
        const ours = end(lease, ended) || sql.ownEnd.get(lease.runId, lease.number) !== null;
        next = ours && more ? claim(1) : [];
        return ours;
      });
      const ours = await write.catch((error) => {
        // The commit may have succeeded even if the sync failed, and the caller won't see the claim. Make the run claimable
        // again.
        for (const { lease } of next) crashed.add(lease.runId);
        throw error;
      });
      if (!ours) throw new LeaseLost(lease);
      return claimed(next)[0];
    },
    async requestStop(runId, reason) {
      await commit.commit(runId, () => void sql.stop.run(reason, runId));
      await notifyStop([runId], reason);
    },
    async closeThread(key) {
      const runs = await commit.commit(key, () => {
        sql.close.run(1, key);
        return sql.stopAll.all(key).map(({ run_id }) => run_id);
      });
      await notifyStop(runs, 'cancel');
      return runs;
    },
    openThread: (key) => commit.commit(key, () => void sql.close.run(0, key)),
    // Only this process writes to the file.
    isHeld: () => true,
    watch(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    follow: () => () => {},
    isFollowed: () => false,
  };
}

/** The row of a query that always returns one. */
function countIn(row: { count: number } | null): number {
  return row?.count ?? 0;
}

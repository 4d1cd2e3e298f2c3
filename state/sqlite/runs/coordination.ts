/** Coordination on SQLite. Whoever opens the file is alone, so what runs at that time was left by a process that is gone. */
import type { Database } from 'bun:sqlite';
import type {
  Acceptance,
  Admission,
  Claim,
  Coordination,
  Hint,
  IdempotencyMatch,
  StopReason,
} from '../../coordination.ts';
import { keyOf, type ThreadRow, toThread } from '../../driver/rows.ts';
import { ttlColumns } from '../../driver/thread-ttl.ts';
import { type Lease, LeaseLost } from '../../lease.ts';
import { storedModels } from '../../model-usage.ts';
import { FIRST_ATTEMPT, type NewRun, type RunEnd } from '../../runs.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { type ClaimableRow, coordinationStatements } from './coordination-statements.ts';

export interface CoordinationParts {
  db: Database;
  commit: GroupCommit;
  /** Inside a transaction of the caller: gives whether the run had not ended before. */
  end(lease: Lease, end: RunEnd): boolean;
}

/** A run that takes the place of others, and those. */
interface Accepted {
  acceptance: Acceptance;
  replaced: string[];
  reason?: StopReason;
}

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

export function coordination({ db, commit, end }: CoordinationParts): Coordination {
  const sql = coordinationStatements(db);
  const listeners = new Set<(hint: Hint) => void>();
  /** Runs that a process which is gone was running. */
  const left = new Set(sql.running.all().map(({ run_id }) => run_id));
  sql.openAll.run();

  function accept(run: NewRun, admission: Admission): Accepted {
    const known = run.idempotency && repeated(run.owner, run.idempotency, run.createdAt);
    if (known) return { acceptance: known, replaced: [] };
    const { owner, threadId, title, workflow, createdAt } = run;
    const before = sql.thread.get(owner, threadId);
    const turns = before ? (sql.unfinished.get(before.key)?.count ?? 0) : 0;
    const isDue = (run.notBefore ?? 0) <= Date.now();
    const refused =
      refusal(before?.closing === 1, turns, admission) ??
      (isDue ? noRoomNow(turns, admission) : noRoomLater(before?.key, admission));
    if (refused) return { acceptance: refused, replaced: [] };
    if (run.follows && !standsAt(run.follows, before, turns))
      return { acceptance: { outcome: 'moved' }, replaced: [] };
    const row = before ?? sql.insertThread.get(owner, threadId, title, workflow, createdAt);
    if (!row) throw new Error('a thread that was just written is not there');
    // One that was made without a turn has no title yet.
    if (row.title === '') sql.nameThread.run(title, row.key);
    const { resume, supersedes, protocol, response } = run.request;
    const temporary = run.request.temporary ? 1 : 0;
    if (row.temporary !== temporary) sql.setTemporary.run(temporary, row.key);
    const stamp = protocol ? { graph_id: workflow, assistant_id: protocol.assistantId } : {};
    const isKept = protocol || response?.store;
    const kept = isKept && sql.keepAll.get(JSON.stringify(stamp), workflow, row.key);
    if (run.threadTtl) sql.giveTtl.run(...ttlColumns(run.threadTtl), createdAt, row.key);
    const thread = toThread(kept || row);
    if (resume && thread.interrupt?.runId !== resume.runId) {
      return { acceptance: { outcome: 'answered' }, replaced: [] };
    }
    // What waits behind a turn cannot know yet whether the thread will wait for a person.
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

  function noRoomNow(turns: number, { perThread, queued, claim }: Admission): Acceptance | undefined {
    if (turns > perThread) return { outcome: 'full', of: 'thread' };
    const waits = turns > 0 || !claim;
    return waits && (sql.queued.get()?.count ?? 0) >= queued ? { outcome: 'full', of: 'all' } : undefined;
  }

  /** Runs whose time has not come hold nobody up, so they are counted by themselves. */
  function noRoomLater(thread: number | undefined, { perThread, queued }: Admission): Acceptance | undefined {
    const ofThread = thread === undefined ? 0 : (sql.scheduledOn.get(thread)?.count ?? 0);
    if (ofThread >= perThread) return { outcome: 'full', of: 'thread' };
    return (sql.scheduled.get()?.count ?? 0) >= queued ? { outcome: 'full', of: 'all' } : undefined;
  }

  function insert(run: NewRun, thread: number, lease: number): void {
    const { runId, owner, messageId, workflow, request, createdAt, notBefore, idempotency } = run;
    const [status, startedAt] = lease > 0 ? ['running', createdAt] : ['queued', null];
    const asked = JSON.stringify(request);
    const place = [runId, thread, owner, messageId, workflow] as const;
    sql.insertRun.run(...place, status, asked, createdAt, startedAt, lease, notBefore ?? null);
    if (!idempotency) return;
    sql.forgetKeys.run(createdAt - IDEMPOTENCY_MS);
    sql.insertKey.run(owner, idempotency.key, idempotency.digest, runId, createdAt);
  }

  function claim(limit: number): Claim[] {
    const gone = left.size > 0 ? sql.leftReady.all(JSON.stringify([...left]), limit) : [];
    // Mostly nothing is, and to put nothing in order takes 50 times as long as to see that.
    const more = gone.length < limit && sql.anyQueued.get() !== null;
    const queued = more ? sql.ready.all(limit - gone.length) : [];
    return [...gone, ...queued].map(take);
  }

  function take(row: ClaimableRow): Claim {
    const { run_id: runId, thread, status, attempt, lease, stop } = row;
    const key = keyOf(thread);
    const number = lease + 1;
    const { checkpoint = null, newest = null } = lease > 0 ? (sql.newest.get(key, runId) ?? {}) : {};
    // A run that an orderly stop released is queued, which does not count as a death.
    const died = status === 'running';
    const sameDeath = row.deaths_newest === newest ? row.deaths + 1 : 1;
    const deaths = died ? { count: sameDeath, newest } : { count: row.deaths, newest: row.deaths_newest };
    const next = { number: died ? attempt + 1 : attempt, deaths };
    sql.take.run(Date.now(), next.number, deaths.count, deaths.newest, number, runId);
    const found = sql.threadByKey.get(thread);
    if (!found) throw new Error('the thread of a run is not there');
    return { lease: { runId, number }, thread: toThread(found), attempt: next, checkpoint, stop };
  }

  /** What was left is so until the claim of it is committed. */
  function noted(claims: Claim[]): Claim[] {
    for (const { lease } of claims) left.delete(lease.runId);
    return claims;
  }

  /** A moment later: a run that was accepted in the same transaction is started by then. */
  async function tell(runIds: string[], reason: StopReason): Promise<void> {
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
      if (replaced.length > 0) await tell(replaced, reason);
      return acceptance;
    },
    claim: async (limit) => noted(await commit.commit('claim', () => claim(limit))),
    spend({ runId, number }, { inputTokens, outputTokens, models }) {
      const stored = storedModels(models);
      return commit.defer(runId, () => void sql.spend.run(inputTokens, outputTokens, stored, runId, number));
    },
    release: ({ runId, number }) => commit.write(runId, () => void sql.release.run(runId, number)),
    async end(lease, ended, more) {
      // Of one unit with the run's checkpoints: all is written, or nothing.
      let next: Claim[] = [];
      const write = commit.write(lease.runId, () => {
        // Ended by this lease before: what stands then stays.
        const ours = end(lease, ended) || sql.ownEnd.get(lease.runId, lease.number) !== null;
        next = ours && more ? claim(1) : [];
        return ours;
      });
      const ours = await write.catch((error) => {
        // Committed and perhaps not on the disk: who is told of the failure does not know of the claim.
        for (const { lease } of next) left.add(lease.runId);
        throw error;
      });
      if (!ours) throw new LeaseLost(lease);
      return noted(next)[0];
    },
    async requestStop(runId, reason) {
      await commit.commit(runId, () => void sql.stop.run(reason, runId));
      await tell([runId], reason);
    },
    async closeThread(key) {
      const runs = await commit.commit(key, () => {
        sql.close.run(1, key);
        return sql.stopAll.all(key).map(({ run_id }) => run_id);
      });
      await tell(runs, 'cancel');
      return runs;
    },
    openThread: (key) => commit.commit(key, () => void sql.close.run(0, key)),
    watch(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
    follow: () => () => {},
    isFollowed: () => false,
  };
}

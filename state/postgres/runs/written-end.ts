/** Writes the end of a run: one statement, or a transaction if the thread's open interrupts must be read. */
import { openInterrupts } from '../../driver/open-interrupts.ts';
import { isUnavailable } from '../../errors.ts';
import type { RunEnd } from '../../threads/runs.ts';
import { answerOf } from '../database/answer-of.ts';
import { type Database, document, type Statements } from '../database/database.ts';
import type { ClaimRow } from './claim-row.ts';
import { type EndDocument, interruptOf } from './end-document.ts';

const RETRY_MS = 200;

export interface WrittenEnd {
  outcome: 'ended' | 'lost' | 'deltas';
  claim: ClaimRow | null;
  /** Whether the thread's next turn is waiting for a server. */
  waits: boolean;
}

export interface EndingParts {
  database: Database;
  /** The id of this server when the end began. */
  server: string;
  /** How long to retry while the database is unreachable. */
  retryForMs: number;
}

/** Retries are safe: if the end was written but the response was lost, `end_v1` does not write it again. */
export async function writtenEnd(parts: EndingParts, end: RunEnd, ended: EndDocument): Promise<WrittenEnd> {
  const until = Date.now() + parts.retryForMs;
  for (;;) {
    try {
      return await attempt(parts, end, ended);
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > until) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}

function attempt({ database, server }: EndingParts, end: RunEnd, ended: EndDocument): Promise<WrittenEnd> {
  if (!mayLeaveInterrupts(end)) return write(database, ended, server);
  return database.transaction(async (tx) => {
    const written = await write(tx, { ...ended, more: false }, server);
    if (written.outcome !== 'ended') return written;
    await storeOpenInterrupts(tx, end);
    if (!ended.more) return written;
    const [claim = null] = await answerOf<ClaimRow[]>(tx, 'SELECT skein.claim_v1(1, $1) AS answer', server);
    return { ...written, claim };
  });
}

function write(db: Statements, ended: EndDocument, server: string): Promise<WrittenEnd> {
  return answerOf(db, 'SELECT skein.end_v1($1::text::jsonb, $2) AS answer', document(ended), server);
}

/** A run over LangGraph's protocol that failed or was cancelled may leave open interrupts at the thread's head. */
function mayLeaveInterrupts({ run, started, outcome }: RunEnd): boolean {
  const isRolledBack = outcome.status === 'cancelled' && outcome.rollback;
  return 'error' in outcome && started && run.request.protocol !== undefined && !isRolledBack;
}

async function storeOpenInterrupts(tx: Statements, end: RunEnd): Promise<void> {
  const { threadKey, runId } = end.run;
  // No rows if an earlier transaction has ended the run and its answer was lost: the thread may have other runs since.
  const rows = await tx.all<{ writes: string }>(
    `SELECT w.writes FROM skein.threads AS t
     JOIN skein.runs AS r ON r.run_id = $3 AND r.xmin = pg_current_xact_id()::xid
     JOIN skein.checkpoint_writes AS w ON w.thread = $1 AND w.ns = '' AND w.id = t.head
     WHERE t.key = $2 ORDER BY w.task`,
    ...[threadKey, Number(threadKey), runId],
  );
  const asking = interruptOf(end);
  const interrupt = openInterrupts(
    rows.map(({ writes }) => writes),
    end.before.interrupt,
    asking,
  );
  if (!interrupt) return;
  const parameters = [Number(threadKey), JSON.stringify(interrupt)] as const;
  if (interrupt.runId !== runId) {
    // A question from before the run: its stored task writes stay unchanged.
    await tx.run('UPDATE skein.threads SET interrupt = $2 WHERE key = $1', ...parameters);
    return;
  }
  await tx.run(
    `UPDATE skein.threads SET interrupt = $2, interrupt_run = $3, interrupt_since = $4,
       interrupt_writes = skein.snapshot_v1($5, $4) WHERE key = $1`,
    ...[...parameters, runId, asking.headBefore, threadKey],
  );
}

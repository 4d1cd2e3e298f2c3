/** What a thread waits for after a run of LangGraph's protocol that failed or was cancelled: what its tasks still ask. */
import type { Database } from 'bun:sqlite';
import { INTERRUPT } from '@langchain/langgraph-checkpoint';
import { finished } from '../../driver/checkpoints/task-writes.ts';
import { unpack } from '../../serializer.ts';
import type { Interrupt, PendingInterrupt } from '../../threads.ts';

/** As `threads.interrupt` is stored, without what only the driver knows. */
type Stored = Pick<PendingInterrupt, 'interrupts' | 'stoppedAt' | 'runId'>;
type StoredWrite = [index: number, channel: string, value: unknown];

/**
 * Inside a transaction: gives the thread's interrupt after the run, as it is stored; null where nobody asks at the head. What
 * was asked before keeps its run and its writes, from which the question is put again.
 */
export function stillAsked(db: Database) {
  const ofTasks = db.query<{ writes: string }, [string, string]>(
    `SELECT writes FROM checkpoint_writes WHERE thread = ? AND ns = '' AND id = ? ORDER BY task`,
  );
  const stored = db.query<{ interrupt: string | null }, [string]>(
    'SELECT interrupt FROM threads WHERE key = ?',
  );

  function askedAt(thread: string, head: string): { id?: string; value?: unknown }[] {
    const rows = ofTasks.all(thread, head).filter(({ writes }) => !finished(writes));
    const all = rows.flatMap(({ writes }) => JSON.parse(writes) as StoredWrite[]);
    return all.flatMap(([, channel, value]) => (channel === INTERRUPT ? unpack(value) : [])) as object[];
  }

  return (thread: string, head: string | null, asking: Omit<Stored, 'interrupts'>): string | null => {
    const asked = head === null ? [] : askedAt(thread, head);
    if (asked.length === 0) return null;
    const before: Stored | null = JSON.parse(stored.get(thread)?.interrupt ?? 'null');
    const known = new Map(before?.interrupts.map((one) => [one.interruptId, one]));
    const interrupts = asked.map(({ id: interruptId = asking.runId, value = null }): Interrupt => {
      return known.get(interruptId) ?? { interruptId, value, agent: '', path: [] };
    });
    const wasAsked = interrupts.some(({ interruptId }) => known.has(interruptId));
    return JSON.stringify(
      wasAsked ? { ...before, interrupts, failedAnswer: true } : { ...asking, interrupts },
    );
  };
}

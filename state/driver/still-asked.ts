/** What a thread waits for after a run of LangGraph's protocol that failed or was cancelled: what its tasks still ask. */
import { INTERRUPT } from '@langchain/langgraph-checkpoint';
import { unpack } from '../serializer.ts';
import type { Interrupt, PendingInterrupt } from '../threads.ts';
import { finished, parseWrites } from './checkpoints/task-writes.ts';

/** As `threads.interrupt` is stored, without what only a driver knows. */
export type StoredInterrupt = Pick<PendingInterrupt, 'interrupts' | 'stoppedAt' | 'runId'> & {
  failedAnswer?: true;
};

/**
 * `writes`: those of the tasks at the thread's head, each as text. `before`: what the thread waited for before the run;
 * `asking`: what is stored of a new question. Null where nobody asks. What was asked before keeps its run and its writes, from
 * which the question is put again.
 */
export function stillAsked<Asking extends Omit<StoredInterrupt, 'interrupts'>>(
  writes: string[],
  before: StoredInterrupt | null,
  asking: Asking,
): StoredInterrupt | null {
  const asked = writes
    .filter((text) => !finished(text))
    .flatMap(parseWrites)
    .flatMap(([, channel, value]) => (channel === INTERRUPT ? unpack(value) : [])) as {
    id?: string;
    value?: unknown;
  }[];
  if (asked.length === 0) return null;
  const known = new Map(before?.interrupts.map((one) => [one.interruptId, one]));
  const interrupts = asked.map(({ id: interruptId = asking.runId, value = null }): Interrupt => {
    return known.get(interruptId) ?? { interruptId, value, agent: '', path: [] };
  });
  if (before && interrupts.some(({ interruptId }) => known.has(interruptId)))
    return { ...before, interrupts, failedAnswer: true };
  return { ...asking, interrupts };
}

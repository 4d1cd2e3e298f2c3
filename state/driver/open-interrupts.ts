/** The open interrupts of a thread after a run over LangGraph's protocol failed or was cancelled. */
import { INTERRUPT } from '@langchain/langgraph-checkpoint';
import { unpack } from '../checkpoints/serializer.ts';
import type { Interrupt, PendingInterrupt } from '../threads/threads.ts';
import { finished, parseWrites } from './checkpoints/task-writes.ts';

/** The stored form of `threads.interrupt`, without driver-specific fields. */
export type StoredInterrupt = Pick<PendingInterrupt, 'interrupts' | 'stoppedAt' | 'runId'> & {
  failedAnswer?: true;
};

/**
 * The interrupt to store; null if no task has an open one. `writes`: the stored writes of the tasks at the thread's head.
 * `before`: the thread's interrupt before the run. `asking`: the fields of a new interrupt. Questions from before the run keep
 * their run and their writes, from which they are asked again.
 */
export function openInterrupts<Asking extends Omit<StoredInterrupt, 'interrupts'>>(
  writes: string[],
  before: StoredInterrupt | null,
  asking: Asking,
): StoredInterrupt | null {
  const open = writes
    .filter((text) => !finished(text))
    .flatMap(parseWrites)
    .flatMap(([, channel, value]) => (channel === INTERRUPT ? unpack(value) : [])) as {
    id?: string;
    value?: unknown;
  }[];
  if (open.length === 0) return null;
  const known = new Map(before?.interrupts.map((one) => [one.interruptId, one]));
  const interrupts = open.map(({ id: interruptId = asking.runId, value = null }): Interrupt => {
    return known.get(interruptId) ?? { interruptId, value, agent: '', path: [] };
  });
  if (before && interrupts.some(({ interruptId }) => known.has(interruptId)))
    return { ...before, interrupts, failedAnswer: true };
  return { ...asking, interrupts };
}

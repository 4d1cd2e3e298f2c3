/** Tracks texts that the log already contains: a node may return one again as a message. */
import type { GraphLocation } from '../../../state/events.ts';

/** Recorded for the task and its parents. `said`: a run's `RunContext.said`. */
export function noteText(said: Set<unknown>, { taskId, ns = [] }: GraphLocation, text: string): void {
  if (text === '') return;
  for (const task of [taskId, ...ns.map((one) => one.slice(one.lastIndexOf(':') + 1))])
    said.add(keyOf(task, text));
}

export function hasText(said: ReadonlySet<unknown>, { taskId }: GraphLocation, text: string): boolean {
  return said.has(keyOf(taskId, text));
}

/** Call it when the task starts over, because it may emit the same texts again. */
export function forgetTexts(said: Set<unknown>, taskId: string): void {
  for (const key of said) if (typeof key === 'string' && key.startsWith(`${taskId} `)) said.delete(key);
}

function keyOf(task: string | undefined, text: string): string {
  return `${task} ${text}`;
}

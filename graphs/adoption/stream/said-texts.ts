/** The texts that the log already has: a node may return one of them again, as a message made from it. */
import type { Place } from '../../../state/events.ts';

/** Noted for the task and for those around it. `said`: a run's `RunContext.said`. */
export function noteText(said: Set<unknown>, { taskId, ns = [] }: Place, text: string): void {
  if (text === '') return;
  for (const task of [taskId, ...ns.map((one) => one.slice(one.lastIndexOf(':') + 1))])
    said.add(keyOf(task, text));
}

export function hasText(said: ReadonlySet<unknown>, { taskId }: Place, text: string): boolean {
  return said.has(keyOf(taskId, text));
}

/** The task starts over: it may say them again. */
export function forgetTexts(said: Set<unknown>, taskId: string): void {
  for (const key of said) if (typeof key === 'string' && key.startsWith(`${taskId} `)) said.delete(key);
}

function keyOf(task: string | undefined, text: string): string {
  return `${task} ${text}`;
}

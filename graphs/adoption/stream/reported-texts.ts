/** Tracks texts that the log already contains: a node may return one again as a message. */
import type { GraphLocation } from '../../../state/events.ts';

/** Recorded for the task and its parents. `reported`: a run's `RunContext.reported`. */
export function noteText(reported: Set<unknown>, { taskId, ns = [] }: GraphLocation, text: string): void {
  if (text === '') return;
  for (const task of [taskId, ...ns.map((one) => one.slice(one.lastIndexOf(':') + 1))])
    reported.add(keyOf(task, text));
}

export function hasText(reported: ReadonlySet<unknown>, { taskId }: GraphLocation, text: string): boolean {
  return reported.has(keyOf(taskId, text));
}

/** Call it when the task starts over, because it may emit the same texts again. */
export function forgetTexts(reported: Set<unknown>, taskId: string): void {
  for (const key of reported)
    if (typeof key === 'string' && key.startsWith(`${taskId} `)) reported.delete(key);
}

function keyOf(task: string | undefined, text: string): string {
  return `${task} ${text}`;
}

/** Tracks the texts that the log already contains, because a node may return one of them again as a message. */
import type { GraphLocation } from '../../../state/threads/events.ts';

/** Records a text for the task and its parents. `reported` is the run's `RunContext.reported`. */
export function noteText(reported: Set<unknown>, { taskId, ns = [] }: GraphLocation, text: string): void {
  if (text === '') return;
  for (const task of [taskId, ...ns.map((one) => one.slice(one.lastIndexOf(':') + 1))])
    reported.add(keyOf(task, text));
}

export function hasText(reported: ReadonlySet<unknown>, { taskId }: GraphLocation, text: string): boolean {
  return reported.has(keyOf(taskId, text));
}

/** Must be called when the task starts again, because it may emit the same texts again. */
export function forgetTexts(reported: Set<unknown>, taskId: string): void {
  for (const key of reported)
    if (typeof key === 'string' && key.startsWith(`${taskId} `)) reported.delete(key);
}

function keyOf(task: string | undefined, text: string): string {
  return `${task} ${text}`;
}

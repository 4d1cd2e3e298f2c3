/** What LangGraph's loop puts into its stream: the chunks of checkpoints and tasks, and the namespaces that they come from. */

export interface CheckpointChunk {
  step?: number;
  metadata?: { step: number };
}

/** It comes with the checkpoint, or in its metadata where all of it was asked for. */
export function stepOf({ step, metadata }: CheckpointChunk): number {
  return step ?? metadata?.step ?? 0;
}

export interface TaskChunk {
  id: string;
  name: string;
  input: unknown;
  triggers: string[];
}

export interface ResultChunk extends Pick<TaskChunk, 'id' | 'name'> {
  /** By channel; `{$writes}` where it wrote to one several times. */
  result: Record<string, unknown>;
  interrupts: { id?: string; value: unknown }[];
  error: unknown;
}

/** The name of a task's node. */
export function nameIn(task: string): string {
  return task.slice(0, task.lastIndexOf(':'));
}

/** The names of the nodes of a namespace. */
export function pathOf(ns: string[]): string {
  return ns.map(nameIn).join('|');
}

export function idOf(task: string): string {
  return task.slice(task.lastIndexOf(':') + 1);
}

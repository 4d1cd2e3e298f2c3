/** Chunks of LangGraph's stream for checkpoints and tasks, and their namespaces. */

export interface CheckpointChunk {
  step?: number;
  metadata?: { step: number };
}

/** Part of the checkpoint, or of its metadata in a full stream. */
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
  /** The written values by channel; `{$writes}` if a channel has several. */
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

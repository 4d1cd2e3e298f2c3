/**
 * Chunks of LangGraph's debug streams in the format of its servers: with references to checkpoints, and without internal
 * fields.
 */
import type { RunnableConfig } from '@langchain/core/runnables';

interface TaskPayload {
  state?: unknown;
}

interface CheckpointPayload {
  config: RunnableConfig;
  parentConfig?: RunnableConfig;
  values: unknown;
  metadata: unknown;
  next: string[];
  tasks: TaskPayload[];
}

/** A chunk of the stream of tasks: a start or a result. */
export function taskPiece(task: TaskPayload): object {
  const checkpoint = referenceOf(task.state as RunnableConfig | undefined);
  if (!checkpoint) return task;
  const { state: _, ...rest } = task;
  return { ...rest, checkpoint };
}

/** A chunk of the stream of checkpoints. */
export function checkpointPiece({ values, metadata, next }: CheckpointPayload): object {
  return { values, metadata, next };
}

export function debugPiece(piece: { type: string; payload: unknown }): object {
  if (piece.type !== 'checkpoint') return { ...piece, payload: taskPiece(piece.payload as TaskPayload) };
  const { config, parentConfig, tasks, ...rest } = piece.payload as CheckpointPayload;
  return {
    ...piece,
    payload: {
      ...rest,
      config: withoutInternals(config),
      parent_config: withoutInternals(parentConfig),
      checkpoint: wholeReference(config),
      parent_checkpoint: wholeReference(parentConfig),
      tasks: tasks.map(taskPiece),
    },
  };
}

function referenceOf(config: RunnableConfig | undefined): object | undefined {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = config?.configurable ?? {};
  if (thread_id === undefined) return undefined;
  return {
    thread_id,
    ...(checkpoint_id !== undefined && { checkpoint_id }),
    checkpoint_ns: checkpoint_ns ?? '',
    ...(checkpoint_map !== undefined && { checkpoint_map }),
  };
}

function wholeReference(config: RunnableConfig | undefined): object | null {
  const reference = config?.configurable?.checkpoint_id === undefined ? undefined : referenceOf(config);
  return reference ? { checkpoint_map: null, ...reference } : null;
}

function withoutInternals(config: RunnableConfig | undefined): object | undefined {
  if (!config) return undefined;
  const { callbacks: _, ...rest } = config;
  const configurable = Object.entries(config.configurable ?? {}).filter(([name]) => !name.startsWith('__'));
  return { ...rest, configurable: Object.fromEntries(configurable) };
}

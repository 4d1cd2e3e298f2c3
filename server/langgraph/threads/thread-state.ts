/** The schema of a state in LangGraph's API, and the conversion of graph states to it. */

import type { RunnableConfig } from '@langchain/core/runnables';
import { type Static, Type } from '@sinclair/typebox';
import { wireJson } from '../../../graphs/adoption/wire-message.ts';
import type { GraphState } from '../../../graphs/authoring/workflow.ts';
import { JsonObject } from '../json-object.ts';

export const Checkpoint = Type.Object(
  {
    thread_id: Type.String(),
    checkpoint_ns: Type.String(),
    checkpoint_id: Type.Union([Type.String(), Type.Null()]),
    checkpoint_map: Type.Union([JsonObject, Type.Null()]),
  },
  { title: 'Checkpoint reference' },
);
export type Checkpoint = Static<typeof Checkpoint>;

const Nullable = Type.Union([Checkpoint, Type.Null()]);

export const ThreadState = Type.Object(
  {
    values: Type.Unknown(),
    next: Type.Array(Type.String()),
    tasks: Type.Array(JsonObject),
    interrupts: Type.Array(JsonObject),
    metadata: JsonObject,
    created_at: Type.Union([Type.String(), Type.Null()]),
    checkpoint: Checkpoint,
    parent_checkpoint: Nullable,
  },
  { title: 'ThreadState' },
);
export type ThreadState = Static<typeof ThreadState>;

/**
 * `threadId` replaces the thread's key in storage, which the checkpoints have. If `state` is undefined, returns the state
 * of a thread without turns.
 */
export function toThreadState(threadId: string, state: GraphState | undefined): ThreadState {
  if (!state) {
    const checkpoint = { thread_id: threadId, checkpoint_ns: '', checkpoint_id: null, checkpoint_map: null };
    const empty = { next: [], tasks: [], interrupts: [], metadata: {}, created_at: null };
    return { values: {}, ...empty, checkpoint, parent_checkpoint: null };
  }
  const tasks = state.tasks.map((task) => taskOf(threadId, task));
  return {
    values: wireJson(state.values ?? {}),
    next: [...state.next],
    tasks,
    interrupts: tasks.flatMap(({ interrupts }) => interrupts),
    metadata: { ...(wireJson(state.metadata ?? {}) as object), thread_id: threadId },
    created_at: state.createdAt ?? null,
    checkpoint: checkpointOf(threadId, state.config) as Checkpoint,
    parent_checkpoint: checkpointOf(threadId, state.parentConfig),
  };
}

function taskOf(threadId: string, task: GraphState['tasks'][number]) {
  const { state } = task;
  const isState = state !== undefined && 'next' in state;
  return {
    id: task.id,
    name: task.name,
    path: wireJson(task.path ?? []),
    error: task.error === undefined ? null : errorText(task.error),
    interrupts: wireJson(task.interrupts ?? []) as Record<string, unknown>[],
    checkpoint: state && !isState ? subgraphCheckpoint(threadId, state) : null,
    state: isState ? subgraphState(threadId, state) : null,
    result: wireJson(task.result) ?? null,
  };
}

/** The states of subgraphs have no field `interrupts`: their interrupts are only in their tasks. */
function subgraphState(threadId: string, state: GraphState): Omit<ThreadState, 'interrupts'> {
  const { interrupts: _, ...rest } = toThreadState(threadId, state);
  return rest;
}

function errorText(error: unknown): string {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  if (typeof message !== 'string') return JSON.stringify(wireJson(error)) ?? 'null';
  return typeof name === 'string' && name !== '' ? `${name}: ${message}` : message;
}

/** The checkpoint of a subgraph. Its id is unknown until the subgraph has a state. */
function subgraphCheckpoint(threadId: string, config: RunnableConfig): Partial<Checkpoint> {
  const { checkpoint_ns = '', checkpoint_id, checkpoint_map } = config.configurable ?? {};
  return {
    ...{ thread_id: threadId, checkpoint_ns },
    ...(checkpoint_id !== undefined && { checkpoint_id }),
    ...(checkpoint_map !== undefined && { checkpoint_map }),
  };
}

/** Returns null if the config doesn't refer to a checkpoint. */
export function checkpointOf(threadId: string, config: RunnableConfig | undefined): Checkpoint | null {
  const { checkpoint_ns = '', checkpoint_id, checkpoint_map = null } = config?.configurable ?? {};
  if (checkpoint_id === undefined && !checkpoint_ns) return null;
  return { thread_id: threadId, checkpoint_ns, checkpoint_id: checkpoint_id ?? null, checkpoint_map };
}

/** The schema of a thread in LangGraph's API, and the conversion of stored threads to it. */
import { type Static, Type } from '@sinclair/typebox';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { ThreadStates } from '../../../runtime/threads/thread-states.ts';
import type { StoredThread } from '../../../state/threads/archive.ts';
import { ThreadStatus } from '../../threads/shape.ts';
import { JsonObject } from '../json-object.ts';
import { toThreadState } from './thread-state.ts';
import { TtlBody } from './thread-ttl.ts';

const Time = Type.String({ format: 'date-time' });

export const Thread = Type.Object(
  {
    thread_id: Type.String(),
    created_at: Time,
    updated_at: Time,
    metadata: JsonObject,
    status: ThreadStatus,
    config: JsonObject,
    values: Type.Unknown(),
    interrupts: Type.Record(Type.String(), Type.Array(Type.Unknown())),
    ttl: Type.Optional(Type.Union([TtlBody, Type.Null()])),
  },
  { title: 'LangGraphThread' },
);
export type Thread = Static<typeof Thread>;

/** `values` is null if the thread has no state. `interrupts` contains the pending interrupts by task id. */
export async function threadBody(states: ThreadStates, thread: StoredThread): Promise<Thread> {
  // If the graph no longer exists, its state can't be read, but the thread must still be listed.
  const state = toThreadState(thread.threadId, await states.at(thread).catch(() => undefined));
  const { workflow, interrupt } = thread;
  const graph = workflow === '' ? {} : { graph_id: workflow, assistant_id: assistantId(workflow) };
  const waiting = state.tasks.filter(({ interrupts }) => (interrupts as unknown[]).length > 0);
  return {
    thread_id: thread.threadId,
    created_at: new Date(thread.createdAt).toISOString(),
    updated_at: new Date(thread.updatedAt).toISOString(),
    metadata: { ...graph, ...thread.metadata },
    status: thread.status,
    config: {},
    values: state.created_at === null ? null : state.values,
    interrupts: interrupt
      ? Object.fromEntries(waiting.map((task) => [String(task.id), task.interrupts as unknown[]]))
      : {},
  };
}

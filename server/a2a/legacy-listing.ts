/** `tasks/list`: version 0.3's name and shapes for a list, which the official package has in 1.0 alone. */
import type { Task } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';

export const LEGACY_LIST = 'tasks/list';

/** Answers as the package's own transports do. */
export async function legacyListing(handler: A2ARequestHandler, body: { params?: unknown }): Promise<object> {
  let tasks: Task[] = [];
  const listing: A2ARequestHandler = {
    ...handler,
    async listTasks(...asked) {
      const listed = await handler.listTasks(...asked);
      tasks = listed.tasks;
      return listed;
    },
  };
  const asked = { ...body, method: 'ListTasks', params: withState(body.params) };
  const answer = await new JsonRpcTransportHandler(listing).handle(asked, new ServerCallContext());
  if (!('result' in answer)) return answer;
  const shown = await Promise.all(tasks.map((task) => legacyTask(handler, task)));
  return { ...answer, result: { ...(answer.result as object), tasks: shown } };
}

/** `input-required` is TASK_STATE_INPUT_REQUIRED. */
function withState(params: unknown): unknown {
  const { status } = (params ?? {}) as { status?: unknown };
  if (typeof status !== 'string') return params;
  return { ...(params as object), status: `TASK_STATE_${status.toUpperCase().replaceAll('-', '_')}` };
}

async function legacyTask(handler: A2ARequestHandler, task: Task): Promise<unknown> {
  const shows = new LegacyJsonRpcTransportHandler({ ...handler, getTask: async () => task });
  const asked = { jsonrpc: '2.0', id: task.id, method: 'tasks/get', params: { id: task.id } };
  return ((await shows.handle(asked, new ServerCallContext())) as { result?: unknown }).result;
}

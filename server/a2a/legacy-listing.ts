/** `tasks/list`: lists tasks in the shapes of A2A 0.3. The official package implements listing only for 1.0. */
import type { Task } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';

export const LEGACY_LIST = 'tasks/list';

/** Returns a JSON-RPC response like the package's transports. */
export async function legacyListing(handler: A2ARequestHandler, body: { params?: unknown }): Promise<object> {
  let tasks: Task[] = [];
  const listing: A2ARequestHandler = {
    ...handler,
    async listTasks(...args) {
      const response = await handler.listTasks(...args);
      tasks = response.tasks;
      return response;
    },
  };
  const request = { ...body, method: 'ListTasks', params: withState(body.params) };
  const response = await new JsonRpcTransportHandler(listing).handle(request, new ServerCallContext());
  if (!('result' in response)) return response;
  const legacyTasks = await Promise.all(tasks.map((task) => legacyTask(handler, task)));
  return { ...response, result: { ...(response.result as object), tasks: legacyTasks } };
}

/** Converts a state of 0.3 to 1.0: `input-required` becomes `TASK_STATE_INPUT_REQUIRED`. */
function withState(params: unknown): unknown {
  const { status } = (params ?? {}) as { status?: unknown };
  if (typeof status !== 'string') return params;
  return { ...(params as object), status: `TASK_STATE_${status.toUpperCase().replaceAll('-', '_')}` };
}

/** Converts a task by passing it through the package's `tasks/get` of 0.3. */
async function legacyTask(handler: A2ARequestHandler, task: Task): Promise<unknown> {
  const transport = new LegacyJsonRpcTransportHandler({ ...handler, getTask: async () => task });
  const request = { jsonrpc: '2.0', id: task.id, method: 'tasks/get', params: { id: task.id } };
  return ((await transport.handle(request, new ServerCallContext())) as { result?: unknown }).result;
}

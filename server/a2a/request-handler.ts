/** The methods of A2A over the runtime; the official package reads and writes the wire. */
import { type AgentCard, type StreamResponse, TaskState } from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Services } from '../services.ts';
import { type AgentCall, foundTask, shownTask } from './tasks/agent-call.ts';
import { listedTasks } from './tasks/listing.ts';
import { send } from './tasks/sending.ts';
import { metadataOf, stateOf, toTask, userMessage } from './tasks/task.ts';
import { taskEvents } from './tasks/task-events.ts';

const ENDED = [
  ...[TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED, TaskState.TASK_STATE_CANCELED],
];

/** What the protocol has errors for is thrown as those; all else as it comes. */
export function requestHandler(services: Services, call: AgentCall, card: AgentCard): A2ARequestHandler {
  const { runtime } = services;

  async function refusePush(): Promise<never> {
    throw new PushNotificationNotSupportedError();
  }

  return {
    getAgentCard: async () => card,
    getAuthenticatedExtendedAgentCard: async () => card,
    async sendMessage(params) {
      const { returnImmediately = false, historyLength } = params.configuration ?? {};
      if (params.configuration?.taskPushNotificationConfig) await refusePush();
      const { turn, taskId } = await send(services, call, { params, whole: !returnImmediately });
      const failure = returnImmediately ? await runtime.durable(turn.runId) : await failureOf(turn.ended);
      const runs = await foundTask(services, call, taskId);
      // It goes on, and its caller can't wait for it.
      if (failure && runs.last.finishedAt === null) throw failure;
      return shownTask(services, runs, { historyLength });
    },
    async *sendMessageStream(params) {
      if (params.configuration?.taskPushNotificationConfig) await refusePush();
      const { turn, taskId, resumes, text } = await send(services, call, { params, whole: false });
      await runtime.durable(turn.runId);
      const { threadId } = turn;
      const run = { ...turn, workflow: call.agent.graphId };
      const place = { runId: taskId, threadId };
      const submitted = {
        status: {
          state: TaskState.TASK_STATE_SUBMITTED,
          message: undefined,
          timestamp: new Date().toISOString(),
        },
        history: text === '' ? [] : [userMessage(place, taskId, text)],
      };
      const task = {
        id: taskId,
        contextId: threadId,
        artifacts: [],
        metadata: metadataOf(run),
        ...submitted,
      };
      yield { payload: { $case: 'task', value: task } } as StreamResponse;
      yield* taskEvents(services, call, { taskId, run, resumes });
    },
    async getTask({ id, historyLength }) {
      return shownTask(services, await foundTask(services, call, id), { historyLength });
    },
    async cancelTask({ id }) {
      const runs = await foundTask(services, call, id);
      if (ENDED.includes(stateOf(runs))) throw new TaskNotCancelableError('The task has ended');
      await runtime.cancel(call.owner, runs.last.runId);
      // A question that was being answered stands again now.
      const { asking } = await foundTask(services, call, id);
      if (asking) await runtime.cancel(call.owner, asking.runId);
      return shownTask(services, await foundTask(services, call, id), {});
    },
    async *resubscribe({ id }) {
      const runs = await foundTask(services, call, id);
      const { first, last, asking } = runs;
      if (ENDED.includes(stateOf(runs))) throw new UnsupportedOperationError('The task has ended');
      yield { payload: { $case: 'task', value: toTask(runs, { artifacts: [] }) } };
      const resumes = last.request.resume !== undefined;
      if (!asking) yield* taskEvents(services, call, { taskId: first.runId, run: last, resumes });
    },
    listTasks: (params) => listedTasks(services, call, params),
    createTaskPushNotificationConfig: refusePush,
    getTaskPushNotificationConfig: refusePush,
    listTaskPushNotificationConfigs: refusePush,
    deleteTaskPushNotificationConfig: refusePush,
  };
}

async function failureOf(ended: Promise<unknown>): Promise<unknown> {
  try {
    await ended;
    return undefined;
  } catch (error) {
    return error;
  }
}

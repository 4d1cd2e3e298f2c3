/** Implements the A2A methods on the runtime. The official package parses requests and serializes responses. */
import { type AgentCard, type StreamResponse, TaskState } from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Services } from '../services.ts';
import { type AgentCall, findTask, loadTask } from './tasks/agent-call.ts';
import { listTasks } from './tasks/list-tasks.ts';
import { sendMessage } from './tasks/send-message.ts';
import { metadataOf, stateOf, toTask, userMessage } from './tasks/task.ts';
import { taskEvents } from './tasks/task-events.ts';

const ENDED = [
  ...[TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED, TaskState.TASK_STATE_CANCELED],
];

/** The methods throw the protocol's errors where it defines one, and SkeinErrors otherwise (see `rpc-errors.ts`). */
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
      const { turn, taskId } = await sendMessage(services, call, { params, whole: !returnImmediately });
      const failure = returnImmediately ? await runtime.durable(turn.runId) : await errorOf(turn.ended);
      const runs = await findTask(services, call, taskId);
      // The wait failed, but the run continues on another server or after a restart.
      if (failure && runs.last.finishedAt === null) throw failure;
      return loadTask(services, runs, { historyLength });
    },
    async *sendMessageStream(params) {
      if (params.configuration?.taskPushNotificationConfig) await refusePush();
      const { turn, taskId, resumes, text } = await sendMessage(services, call, { params, whole: false });
      await runtime.durable(turn.runId);
      const { threadId } = turn;
      const run = { ...turn, workflow: call.agent.graphId };
      const ids = { runId: taskId, threadId };
      const submitted = {
        status: {
          state: TaskState.TASK_STATE_SUBMITTED,
          message: undefined,
          timestamp: new Date().toISOString(),
        },
        history: text === '' ? [] : [userMessage(ids, taskId, text)],
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
      return loadTask(services, await findTask(services, call, id), { historyLength });
    },
    async cancelTask({ id }) {
      const runs = await findTask(services, call, id);
      if (ENDED.includes(stateOf(runs))) throw new TaskNotCancelableError('The task has ended');
      await runtime.cancel(call.owner, runs.last.runId);
      // If the run was resuming an interrupt, the interrupt is pending again: cancel it too.
      const { waiting } = await findTask(services, call, id);
      if (waiting) await runtime.cancel(call.owner, waiting.runId);
      return loadTask(services, await findTask(services, call, id), {});
    },
    async *resubscribe({ id }) {
      const runs = await findTask(services, call, id);
      const { first, last, waiting } = runs;
      if (ENDED.includes(stateOf(runs))) throw new UnsupportedOperationError('The task has ended');
      yield { payload: { $case: 'task', value: toTask(runs, { artifacts: [] }) } };
      const resumes = last.request.resume !== undefined;
      if (!waiting) yield* taskEvents(services, call, { taskId: first.runId, run: last, resumes });
    },
    listTasks: (params) => listTasks(services, call, params),
    createTaskPushNotificationConfig: refusePush,
    getTaskPushNotificationConfig: refusePush,
    listTaskPushNotificationConfigs: refusePush,
    deleteTaskPushNotificationConfig: refusePush,
  };
}

async function errorOf(ended: Promise<unknown>): Promise<unknown> {
  try {
    await ended;
    return undefined;
  } catch (error) {
    return error;
  }
}

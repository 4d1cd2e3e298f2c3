/** What fails at a call, as A2A's own errors. */
import {
  A2AError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { ERRORS, type ErrorBody } from '../../state/errors.ts';
import { sentenceOf } from './errors.ts';

export function rpcError(body: ErrorBody): A2AError {
  const { error_code, request_id } = body;
  const options = { message: sentenceOf(body), metadata: { error_code, request_id } };
  if (error_code === 'RUN_NOT_FOUND') return new TaskNotFoundError({ ...options, message: 'Task not found' });
  const [status] = ERRORS[error_code];
  if (status === 400 || status === 413) return new RequestMalformedError(options);
  return status === 409 ? new UnsupportedOperationError(options) : new A2AError(options);
}

/** A handler whose methods throw what `failed` makes of their errors. */
export function translated(handler: A2ARequestHandler, failed: (error: unknown) => Error): A2ARequestHandler {
  const whole =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      method(...args).catch((error: unknown) => {
        throw failed(error);
      });
  const each = <Args extends unknown[], Event>(
    method: (...args: Args) => AsyncGenerator<Event, void, undefined>,
  ) =>
    async function* (...args: Args) {
      try {
        yield* method(...args);
      } catch (error) {
        throw failed(error);
      }
    };
  return {
    getAgentCard: whole(handler.getAgentCard),
    getAuthenticatedExtendedAgentCard: whole(handler.getAuthenticatedExtendedAgentCard),
    sendMessage: whole(handler.sendMessage),
    sendMessageStream: each(handler.sendMessageStream),
    getTask: whole(handler.getTask),
    cancelTask: whole(handler.cancelTask),
    resubscribe: each(handler.resubscribe),
    listTasks: whole(handler.listTasks),
    createTaskPushNotificationConfig: whole(handler.createTaskPushNotificationConfig),
    getTaskPushNotificationConfig: whole(handler.getTaskPushNotificationConfig),
    listTaskPushNotificationConfigs: whole(handler.listTaskPushNotificationConfigs),
    deleteTaskPushNotificationConfig: whole(handler.deleteTaskPushNotificationConfig),
  };
}

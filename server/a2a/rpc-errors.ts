/** Maps errors of A2A calls to the error types of the protocol. */
import {
  A2AError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { ERRORS, type ErrorBody } from '../../state/errors.ts';
import { errorText } from '../http/errors/json-rpc.ts';

export function rpcError(body: ErrorBody): A2AError {
  const { error_code, request_id } = body;
  const options = { message: errorText(body), metadata: { error_code, request_id } };
  if (error_code === 'RUN_NOT_FOUND') return new TaskNotFoundError({ ...options, message: 'Task not found' });
  const [status] = ERRORS[error_code];
  if (status === 400 || status === 413) return new RequestMalformedError(options);
  return status === 409 ? new UnsupportedOperationError(options) : new A2AError(options);
}

/** Wraps a handler so that its methods throw the errors that `mapError` returns. */
export function withMappedErrors(
  handler: A2ARequestHandler,
  mapError: (error: unknown) => Error,
): A2ARequestHandler {
  const mapPromise =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      method(...args).catch((error: unknown) => {
        throw mapError(error);
      });
  const mapStream = <Args extends unknown[], Event>(
    method: (...args: Args) => AsyncGenerator<Event, void, undefined>,
  ) =>
    async function* (...args: Args) {
      try {
        yield* method(...args);
      } catch (error) {
        throw mapError(error);
      }
    };
  return {
    getAgentCard: mapPromise(handler.getAgentCard),
    getAuthenticatedExtendedAgentCard: mapPromise(handler.getAuthenticatedExtendedAgentCard),
    sendMessage: mapPromise(handler.sendMessage),
    sendMessageStream: mapStream(handler.sendMessageStream),
    getTask: mapPromise(handler.getTask),
    cancelTask: mapPromise(handler.cancelTask),
    resubscribe: mapStream(handler.resubscribe),
    listTasks: mapPromise(handler.listTasks),
    createTaskPushNotificationConfig: mapPromise(handler.createTaskPushNotificationConfig),
    getTaskPushNotificationConfig: mapPromise(handler.getTaskPushNotificationConfig),
    listTaskPushNotificationConfigs: mapPromise(handler.listTaskPushNotificationConfigs),
    deleteTaskPushNotificationConfig: mapPromise(handler.deleteTaskPushNotificationConfig),
  };
}

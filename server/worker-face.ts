/** What a server that only executes runs serves: its health and its metrics, and no other path. */
import type { Logger } from 'pino';
import { SkeinError } from '../state/errors.ts';
import type { App } from './app.ts';
import { errorResponse } from './http/errors.ts';
import { requestIdOf } from './http/request-id.ts';
import { REQUEST_ID } from './http/response-headers.ts';

const SERVED: ReadonlySet<string> = new Set(['/livez', '/readyz', '/api/v1/health', '/metrics']);

/** In front of the socket: what the process asks of itself goes to the application. */
export function workerFace(app: App, log: Logger): App {
  return {
    async handle(request, connection) {
      if (SERVED.has(new URL(request.url, 'http://localhost').pathname))
        return app.handle(request, connection);
      const id = requestIdOf(request);
      const response = errorResponse(new SkeinError('NOT_FOUND', ONLY_HEALTH), id, log);
      response.headers.set(REQUEST_ID, id);
      return response;
    },
    close: app.close,
  };
}

const ONLY_HEALTH = {
  message: 'This server is a worker, which executes runs and serves only its health and metrics',
  detail: 'cluster.role is worker; send requests to a server with the role all or front',
};

/** The HTTP application of a worker: serves only health checks and metrics. */
import type { Logger } from 'pino';
import { SkeinError } from '../state/errors.ts';
import type { App } from './app.ts';
import { errorResponse } from './http/errors/errors.ts';
import { requestIdOf } from './http/headers/request-id.ts';
import { REQUEST_ID } from './http/headers/response-headers.ts';
import { pathOf } from './http/path-of.ts';

const SERVED: ReadonlySet<string> = new Set(['/livez', '/readyz', '/api/v1/health', '/metrics']);

/** Only for requests from the socket: calls from within the process use `app` directly. */
export function workerApp(app: App, log: Logger): App {
  return {
    async handle(request, connection) {
      if (SERVED.has(pathOf(request))) return app.handle(request, connection);
      const id = requestIdOf(request);
      const response = errorResponse(new SkeinError('NOT_FOUND', ONLY_HEALTH), id, log);
      response.headers.set(REQUEST_ID, id);
      return response;
    },
    close: app.close,
  };
}

const ONLY_HEALTH = {
  message: 'This server is a worker: it executes runs and serves only health checks and metrics',
  detail: 'cluster.role is worker; send requests to a server whose cluster.role is all or front',
};

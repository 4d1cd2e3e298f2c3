/** The error of a run that ends without a result: what its caller gets, and what the service logs. */
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import type { AcceptedRun } from './accepted-run.ts';

/** It was accepted here, and nobody has been told so: a database that crashes may lose its last moment. */
export function runGone(runId: string, cause: unknown): SkeinError {
  return new SkeinError('STATE_UNAVAILABLE', {
    message: 'The database has lost this run before it was acknowledged, send it again',
    detail: `Run ${runId} is not there any more`,
    retryAfter: 1,
    cause,
  });
}

export function shuttingDown(runId: string): SkeinError {
  return new SkeinError('SHUTTING_DOWN', { detail: `Run ${runId} goes on at the next start`, retryAfter: 5 });
}

export function logFailure(log: Logger, error: SkeinError, { runId, workflow, request }: AcceptedRun): void {
  const at = { run_id: runId, request_id: request.requestId, workflow };
  if (error.code === 'INTERNAL_ERROR') log.error({ ...at, err: error.cause ?? error }, 'run failed');
  else
    log.warn(
      {
        ...at,
        error_code: error.code,
        detail: error.detail,
        ...(error.cause !== undefined && { err: error.cause }),
      },
      'run ended',
    );
}

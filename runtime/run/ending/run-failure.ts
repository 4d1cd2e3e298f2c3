/** The errors of runs that end without a result, for their callers and for the service's log. */
import type { Logger } from 'pino';
import { SkeinError } from '../../../state/errors.ts';
import type { AcceptedRun } from '../accepted-run.ts';

/** For a run that was accepted but not yet acknowledged when the database crashed and lost its last commits. */
export function runGone(runId: string, cause?: unknown): SkeinError {
  return new SkeinError('STATE_UNAVAILABLE', {
    message: 'The database lost this run before it was acknowledged. Send it again',
    detail: `Run ${runId} no longer exists`,
    retryAfter: 1,
    cause,
  });
}

export function shuttingDown(runId: string): SkeinError {
  return new SkeinError('SHUTTING_DOWN', {
    detail: `Run ${runId} continues at the next start`,
    retryAfter: 5,
  });
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

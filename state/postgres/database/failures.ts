/** Converts PostgreSQL's errors to errors of the service. */
import { SkeinError } from '../../errors.ts';

/** The database did not respond in time, for example because its machine or the network has failed. */
export class ResponseTimeout extends Error {
  override readonly name = 'ResponseTimeout';
}

// SQLSTATE codes, https://www.postgresql.org/docs/current/errcodes-appendix.html: connection failures, too many connections,
// a server that starts, stops or is read-only (a standby after a failover), a cancelled statement, and a transaction that
// was ended because this process was idle in it.
const UNAVAILABLE = /^(?:08|57P0[1-5]|53300|25006|25P03|57014)/;

/** Converts the error to STATE_UNAVAILABLE or STORAGE_FULL if the database is unreachable or full; otherwise returns it. */
export function stateError(error: unknown): unknown {
  if (isFull(error)) return new SkeinError('STORAGE_FULL', { retryAfter: FULL_RETRY_SECONDS, cause: error });
  if (!(error instanceof ResponseTimeout) && !isLost(error)) return error;
  return new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1, cause: error });
}

/** SQLSTATE disk_full. */
const DISK_FULL = '53100';
const FULL_RETRY_SECONDS = 5;

function isFull(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: string; errno?: unknown };
  return code === 'ERR_POSTGRES_SERVER_ERROR' && String(errno) === DISK_FULL;
}

export function isTimeout(error: unknown): boolean {
  return error instanceof SkeinError && error.cause instanceof ResponseTimeout;
}

function isLost(error: unknown): boolean {
  const { code = '', errno = '' } = (error ?? {}) as { code?: string; errno?: unknown };
  if (code === 'ERR_POSTGRES_SERVER_ERROR') return UNAVAILABLE.test(String(errno));
  return /^ERR_POSTGRES_(?:CONNECTION|LIFETIME|IDLE)|^E(?:CONN|PIPE|HOST|NET)/.test(code);
}

/** What PostgreSQL's errors mean for the service. */
import { SkeinError } from '../../errors.ts';

/** The connection gave no answer: the machine at its other end is gone, or the network is. */
export class Unheard extends Error {
  override readonly name = 'Unheard';
}

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html: connection failures, too many connections, and
// a server that starts, stops or only reads (a standby after a failover), and one that has ended a transaction because this
// process was silent in it.
const UNAVAILABLE = /^(?:08|57P0[1-5]|53300|25006|25P03|57014)/;

/** An error of the database as the service's own, if its cause is that the database cannot be reached or has no room. */
export function stateError(error: unknown): unknown {
  if (isFull(error)) return new SkeinError('STORAGE_FULL', { retryAfter: FULL_RETRY_SECONDS, cause: error });
  if (!(error instanceof Unheard) && !isLost(error)) return error;
  return new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1, cause: error });
}

/** disk_full: the volume of the database has no room. */
const DISK_FULL = '53100';
const FULL_RETRY_SECONDS = 5;

function isFull(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: string; errno?: unknown };
  return code === 'ERR_POSTGRES_SERVER_ERROR' && String(errno) === DISK_FULL;
}

export function isUnheard(error: unknown): boolean {
  return error instanceof SkeinError && error.cause instanceof Unheard;
}

function isLost(error: unknown): boolean {
  const { code = '', errno = '' } = (error ?? {}) as { code?: string; errno?: unknown };
  if (code === 'ERR_POSTGRES_SERVER_ERROR') return UNAVAILABLE.test(String(errno));
  return /^ERR_POSTGRES_(?:CONNECTION|LIFETIME|IDLE)|^E(?:CONN|PIPE|HOST|NET)/.test(code);
}

/** What the refusals of a state file mean for the service. */
import { SkeinError } from '../../errors.ts';

// https://www.sqlite.org/rescode.html: another program holds the file, its disk only reads or fails, or its folder is gone.
const UNAVAILABLE = /^(?:SQLITE_(?:BUSY|LOCKED|READONLY|IOERR|CANTOPEN|PROTOCOL)(?:_\w+)?|EIO|EROFS)$/;

/** STATE_UNAVAILABLE if the file cannot be written for a reason outside the service; otherwise the error itself. */
export function fileError(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !UNAVAILABLE.test(code)) return error;
  return new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1, cause: error });
}

/** Another program writes to the file. */
export function isBusy(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return code === 'SQLITE_BUSY' || cause?.code === 'SQLITE_BUSY';
}

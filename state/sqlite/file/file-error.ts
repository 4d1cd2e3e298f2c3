/** Converts errors of a state file to errors of the service. */
import { SkeinError } from '../../errors.ts';

// https://www.sqlite.org/rescode.html: the file is locked by another program, the disk is read-only or fails, or the folder
// is missing.
const UNAVAILABLE = /^(?:SQLITE_(?:BUSY|LOCKED|READONLY|IOERR|CANTOPEN|PROTOCOL)(?:_\w+)?|EIO|EROFS)$/;

/** Converts the error to STATE_UNAVAILABLE if the file cannot be written for a reason outside of the service. */
export function fileError(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !UNAVAILABLE.test(code)) return error;
  return new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1, cause: error });
}

/** Whether another program is writing to the file. */
export function isBusy(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return code === 'SQLITE_BUSY' || cause?.code === 'SQLITE_BUSY';
}

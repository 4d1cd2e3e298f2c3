/** The machine's folder for temporary files: processes for untrusted work have theirs in it, and LanceDB needs it. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { configurationError } from '../../state/errors.ts';
import { type Check, failure, ok } from './check.ts';
import { writableReason } from './writable.ts';

const NAME = 'temporary files';

/** Throws CONFIGURATION_ERROR where it cannot be used: what needs it later would end the whole process. */
export function assertTemporaryFolder(): void {
  const reason = reasonNot(tmpdir());
  if (reason) throw configurationError('TMPDIR', `the folder for temporary files cannot be used: ${reason}`);
}

export function temporaryFolderCheck(): Check {
  const folder = tmpdir();
  const reason = reasonNot(folder);
  return reason
    ? failure(NAME, `${folder}: ${reason}`, 'make it writable, or name another in TMPDIR')
    : ok(NAME, folder);
}

function reasonNot(folder: string): string | undefined {
  return existsSync(folder) ? writableReason(folder) : 'the folder does not exist';
}

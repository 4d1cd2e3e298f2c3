/** The machine's temporary folder: processes for untrusted work get a folder in it, and LanceDB needs it. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { configurationError } from '../../../state/errors.ts';
import { type Check, failure, ok } from './check.ts';
import { writableReason } from './writable.ts';

const NAME = 'temporary files';

/** Throws CONFIGURATION_ERROR if it is unusable: what needs it later would crash the process. */
export function assertTemporaryFolder(): void {
  const reason = reasonNot(tmpdir());
  if (reason) throw configurationError('TMPDIR', `the folder for temporary files is unusable: ${reason}`);
}

export function temporaryFolderCheck(): Check {
  const folder = tmpdir();
  const reason = reasonNot(folder);
  return reason
    ? failure(NAME, `${folder}: ${reason}`, 'make it writable, or set another folder in TMPDIR')
    : ok(NAME, folder);
}

function reasonNot(folder: string): string | undefined {
  return existsSync(folder) ? writableReason(folder) : 'the folder does not exist';
}

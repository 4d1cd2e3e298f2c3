/** What went wrong at an object store, in words that may leave: the setting that names it and a code, nothing else. */
import { SkeinError } from '../../../state/errors.ts';

/** The setting whose address is meant. */
export type Setting = 'knowledge_base.documents_path' | 'knowledge_base.index_path';

/** Why a store refused or did not answer: a status, or the code of an error. */
export class StoreReason extends Error {
  override readonly name = 'StoreReason';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** DATABASE_CONNECTION_FAILED; what is one of ours stays. Its cause is left out: clients put signed URLs into theirs. */
export function storageFailure(setting: Setting, error: unknown): SkeinError {
  if (error instanceof SkeinError) return error;
  return new SkeinError('DATABASE_CONNECTION_FAILED', {
    message: 'The object store of the knowledge base failed',
    detail: `${setting}: ${reasonOf(error)}`,
  });
}

/** Whether the store refuses what was asked, however often it is asked again. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof StoreReason)) return false;
  const { status } = error;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unexpected';
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return 'the store does not answer in time';
  if (error instanceof StoreReason) return refusal(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code)
    ? `the store cannot be reached (${code})`
    : 'the store cannot be reached';
}

function refusal({ status, code }: StoreReason): string {
  if (status === 401 || status === 403) return `the store refuses the credentials (${code})`;
  if (status === 404) return `the bucket or container is not there (${code})`;
  return `the store answered with status ${status} (${code})`;
}

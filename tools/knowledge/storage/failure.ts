/** Describes failures of an object store only by the setting and a code, so without secrets. */
import { SkeinError } from '../../../state/errors.ts';

/** The setting that contains the address. */
export type Setting = 'knowledge_base.documents_path' | 'knowledge_base.index_path';

/** Why a store rejected a request or did not respond: a status and an error code. */
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

/**
 * Converts an error to DATABASE_CONNECTION_FAILED. The service's own errors are returned unchanged. The cause is only set if it
 * is a `StoreReason`, because errors of the clients may contain signed URLs.
 */
export function storageFailure(setting: Setting, error: unknown): SkeinError {
  if (error instanceof SkeinError) return error;
  return new SkeinError('DATABASE_CONNECTION_FAILED', {
    message: 'The object store of the knowledge base failed',
    detail: `${setting}: ${reasonOf(error)}`,
    ...(error instanceof StoreReason && { cause: error }),
  });
}

/** Whether a `storageFailure` persists until the setting, the credentials or the store are changed. */
export function isMisconfigured({ cause }: SkeinError): boolean {
  return cause instanceof StoreReason && MISCONFIGURED.includes(cause.status);
}

const MISCONFIGURED: readonly number[] = [401, 403, 404];

/** Whether the store would reject the request again. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof StoreReason)) return false;
  const { status } = error;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unexpected';
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return 'the store did not respond in time';
  if (error instanceof StoreReason) return refusal(error);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code)
    ? `the store cannot be reached (${code})`
    : 'the store cannot be reached';
}

function refusal({ status, code }: StoreReason): string {
  if (status === 401 || status === 403) return `the store rejects the credentials (${code})`;
  if (status === 404) return `the bucket or container does not exist (${code})`;
  return `the store responded with status ${status} (${code})`;
}

/** The error for a failed model that the graph itself brings. */
import { SkeinError } from '../../../state/errors.ts';
import { toProviderError } from '../../../tools/models/provider-error.ts';

/** Contains the provider's status; any other error is in the log, as the cause. */
export function failedCall(cause: object): SkeinError {
  const { status, sentence } = toProviderError(cause);
  if (status === undefined) return new SkeinError('MODEL_CALL_FAILED', { cause });
  return new SkeinError('MODEL_CALL_FAILED', { detail: sentence });
}

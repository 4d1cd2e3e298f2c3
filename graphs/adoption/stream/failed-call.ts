/** The error for a failed call of a model that the graph itself created. */
import { SkeinError } from '../../../state/errors.ts';
import { toProviderError } from '../../../tools/models/errors/provider-error.ts';

/** Contains the provider's status, if there is one; otherwise, the original error is the cause, which is logged. */
export function failedCall(cause: object): SkeinError {
  const { status, sentence } = toProviderError(cause);
  if (status === undefined) return new SkeinError('MODEL_CALL_FAILED', { cause });
  return new SkeinError('MODEL_CALL_FAILED', { detail: sentence });
}

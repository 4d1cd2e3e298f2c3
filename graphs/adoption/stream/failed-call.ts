/** The failure of a model that the graph itself brings along. */
import { SkeinError } from '../../../state/errors.ts';
import { toProviderError } from '../../../tools/models/provider-error.ts';

/** Names what the provider answered; anything else that went wrong is in the log, as the cause. */
export function failedCall(cause: object): SkeinError {
  const { status, sentence } = toProviderError(cause);
  if (status === undefined) return new SkeinError('MODEL_CALL_FAILED', { cause });
  return new SkeinError('MODEL_CALL_FAILED', { detail: sentence });
}

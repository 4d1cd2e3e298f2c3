/** A request with invalid input, which returns to the composer to be corrected. */
import { useMemo } from 'react';
import { SkeinApiError } from '../../../client/api-error.ts';
import type { Turn } from './conversation.ts';
import type { TurnRequest } from './turn-request.ts';

export interface RejectedRequest {
  request: TurnRequest;
  /** The error's detail, which names the invalid fields. */
  detail: string;
}

/** The rejected request of the latest turn. */
export function useRejected(turns: Turn[]): RejectedRequest | undefined {
  const last = turns.at(-1);
  const failure = last?.live.view().failure;
  return useMemo(() => {
    const isRejected = failure instanceof SkeinApiError && failure.code === 'INVALID_WORKFLOW_INPUT';
    if (!isRejected || !last?.request || failure.detail === undefined) return undefined;
    return { request: last.request, detail: failure.detail };
  }, [last, failure]);
}

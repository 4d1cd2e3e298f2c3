/** A request of this page whose values the graph refused: they come back to the composer, to be mended. */
import { useMemo } from 'react';
import { SkeinApiError } from '../../client/api-error.ts';
import type { Turn } from './conversation.ts';
import type { TurnRequest } from './turn-request.ts';

export interface RefusedRequest {
  request: TurnRequest;
  /** Names the fields. */
  detail: string;
}

/** Of the newest turn. */
export function useRefused(turns: Turn[]): RefusedRequest | undefined {
  const last = turns.at(-1);
  const failure = last?.live.view().failure;
  return useMemo(() => {
    const isRefusal = failure instanceof SkeinApiError && failure.code === 'INVALID_WORKFLOW_INPUT';
    if (!isRefusal || !last?.request || failure.detail === undefined) return undefined;
    return { request: last.request, detail: failure.detail };
  }, [last, failure]);
}

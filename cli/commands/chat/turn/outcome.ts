/** The outcome of a turn, from its events: the response, or an error that names the run. */
import { type ErrorBody, SkeinApiError } from '../../../../client/api-error.ts';
import { type RunStreamEvent, StreamLostError } from '../../../../client/run-events.ts';
import type { ChatResponse } from '../../../../server/chat/schema.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { shown } from '../../../terminal/style.ts';

/** The ids of the run, once they are known. */
interface Run {
  run_id?: string;
  thread_id?: string | undefined;
}

export interface Turn {
  events: AsyncIterable<RunStreamEvent>;
  threadId: string | undefined;
  /** The service's URL. */
  url: string;
}

/** Throws SkeinApiError if the service rejects the turn or the turn fails, SkeinError if the service is unreachable. */
export async function outcomeOf({ events, threadId, url }: Turn): Promise<ChatResponse> {
  let run: Run = { thread_id: threadId };
  let failure: ErrorBody | undefined;
  try {
    for await (const { event, data } of events) {
      if (event === 'run') run = data;
      else if (event === 'response') return data;
      else if (event === 'error') failure = data;
    }
  } catch (error) {
    if (error instanceof StreamLostError) throw lostError(url, run, error);
    // The service rejected the reconnection; the turn still runs.
    if (error instanceof SkeinApiError && run.run_id !== undefined) console.error(shown(whereabouts(run)));
    throw error;
  }
  if (failure) throw new SkeinApiError(failure);
  throw new SkeinError('INTERNAL_ERROR', { message: `${whereabouts(run)} ended without a response` });
}

function lostError(url: string, run: Run, cause: unknown): SkeinError {
  const message = `The service at ${url} does not answer`;
  if (run.thread_id === undefined) return new SkeinError('INTERNAL_ERROR', { message, cause });
  const detail = `${whereabouts(run)}; "skein threads show ${run.thread_id}" shows its outcome`;
  return new SkeinError('INTERNAL_ERROR', { message, detail: shown(detail), cause });
}

function whereabouts({ run_id, thread_id }: Run): string {
  return run_id === undefined ? `thread ${thread_id}` : `run ${run_id} of thread ${thread_id}`;
}

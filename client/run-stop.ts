/** What becomes of a run when its caller stops listening: it is cancelled, unless it has an outcome. */
import type { RetryOptions } from './options.ts';
import type { Asked, Send } from './requests.ts';
import { delayBefore, passes, pause } from './retry.ts';

export interface RunStop {
  /** An event of the run has come. */
  note(event: string): void;
  /** The stream failed: its caller did not stop, and the run is left as it is. */
  failed(): void;
  /** The stream is over or was left; resolves when a cancellation that this asks for is answered. */
  left(): Promise<void>;
}

export interface RunStopParts {
  send: Send;
  start: Asked | undefined;
  /** Without it nothing is cancelled. */
  owned: boolean;
  /** The caller's own. */
  signal: AbortSignal;
  retry: RetryOptions;
  runId(): string | undefined;
}

// After these a cancellation would come too late, or throw away a question that waits for a person.
const OUTCOMES = new Set(['interrupt', 'response', 'error', 'end']);

const ATTEMPTS = 3;
const CANCEL_MS = 5_000;

export function runStop({ send, start, owned, signal, retry, runId }: RunStopParts): RunStop {
  let settled = !owned;
  /** Under way from the moment the signal aborts: whoever leaves the stream then waits for it. */
  let stopping: Promise<void> | undefined;

  function stop(): Promise<void> {
    if (!settled) stopping = stopped();
    return stopping ?? Promise.resolve();
  }

  async function stopped(): Promise<void> {
    settled = true;
    signal.removeEventListener('abort', stop);
    const bound = new AbortController();
    const timer = setTimeout(() => bound.abort(), CANCEL_MS);
    // Who has stopped waits for nothing: a cancellation that fails leaves the run to its deadline.
    await cancel(bound.signal).catch(() => {});
    clearTimeout(timer);
  }

  async function cancel(bound: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const id = runId() ?? (await begun(bound));
        const path = `/api/v1/runs/${encodeURIComponent(id)}/cancel`;
        await send({ method: 'POST', path }, bound);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !passes(error, true)) throw error;
        await pause(delayBefore(attempt, error, retry), bound);
      }
    }
  }

  /** The request is under way and nobody knows its run: the same key tells it. */
  async function begun(bound: AbortSignal): Promise<string> {
    if (!start) throw new Error('a run without a number is not begun by anybody');
    const response = await send({ ...start, headers: { ...start.headers, prefer: 'respond-async' } }, bound);
    const { run_id } = (await response.json()) as { run_id: string };
    return run_id;
  }

  signal.addEventListener('abort', stop, { once: true });
  return {
    note(event) {
      if (OUTCOMES.has(event)) settled = true;
    },
    failed() {
      settled = true;
    },
    async left() {
      signal.removeEventListener('abort', stop);
      await stop();
    },
  };
}

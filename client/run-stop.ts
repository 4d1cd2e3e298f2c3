/** Cancels a run when its caller closes the stream, unless the run has an outcome. */
import type { RetryOptions } from './options.ts';
import type { ClientRequest, Send } from './requests.ts';
import { delayBefore, passes, pause } from './retry.ts';

export interface RunStop {
  /** Must be called with each event of the run. */
  note(event: string): void;
  /** Must be called if the stream failed. The caller did not close it, so the run continues. */
  failed(): void;
  /**
   * Must be called when the stream has ended or was closed. Resolves when the service has answered the cancellation, if there
   * is one.
   */
  closed(): Promise<void>;
}

export interface RunStopParts {
  send: Send;
  start: ClientRequest | undefined;
  /** If false, nothing is cancelled. */
  owned: boolean;
  /** The caller's signal. */
  signal: AbortSignal;
  retry: RetryOptions;
  runId(): string | undefined;
}

// After these, a cancellation is too late, or would discard a question that waits for a person.
const OUTCOMES = new Set(['interrupt', 'response', 'error', 'end']);

const ATTEMPTS = 3;
const CANCEL_MS = 5_000;

export function runStop({ send, start, owned, signal, retry, runId }: RunStopParts): RunStop {
  let settled = !owned;
  /** The cancellation. It starts as soon as the signal aborts, and closing the stream waits for it. */
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
    // Errors are ignored: if the cancellation fails, the run ends at its deadline.
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

  /** Returns the id of a run whose request has not been answered. A request with the same idempotency key finds it. */
  async function begun(bound: AbortSignal): Promise<string> {
    if (!start) throw new Error('a run without an id has no start request');
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
    async closed() {
      signal.removeEventListener('abort', stop);
      await stop();
    },
  };
}

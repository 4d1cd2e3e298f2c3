/** Cancels a run when its caller stops listening, unless it has an outcome. */
import type { RetryOptions } from './options.ts';
import type { Asked, Send } from './requests.ts';
import { delayBefore, passes, pause } from './retry.ts';

export interface RunStop {
  /** An event of the run has arrived. */
  note(event: string): void;
  /** The stream failed: its caller did not stop, so the run continues. */
  failed(): void;
  /** Called when the stream has ended or was left; resolves when a resulting cancellation has been answered. */
  left(): Promise<void>;
}

export interface RunStopParts {
  send: Send;
  start: Asked | undefined;
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
  /** Starts as soon as the signal aborts; leaving the stream then waits for it. */
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
    // The caller does not wait: if the cancellation fails, the run ends at its deadline.
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

  /** The request is under way and its run unknown: the same idempotency key finds it. */
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
    async left() {
      signal.removeEventListener('abort', stop);
      await stop();
    },
  };
}

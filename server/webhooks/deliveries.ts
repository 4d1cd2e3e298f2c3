/** Sends webhooks when runs end. Retries failed deliveries with increasing delays, and gives up after about six minutes. */
import type { Logger } from 'pino';
import type { WebhookAttempt, WebhookDelivery, WebhookQueue } from '../../state/resources/webhooks.ts';
import { isOwnPath } from './destination.ts';
import type { Send } from './send.ts';

export interface DeliveryParts {
  queue: WebhookQueue;
  send: Send;
  timeoutSeconds: number;
  log: Logger;
  /** Milliseconds to wait after each attempt but the last. */
  pauses?: readonly number[];
}

export interface Deliveries {
  /** Starts sending due deliveries, including those of earlier processes. */
  start(): void;
  /** Resolves when all attempts have ended. Aborts those that take longer than `milliseconds`; the next start repeats them. */
  stop(milliseconds: number): Promise<void>;
}

const PAUSES = [5_000, 30_000, 90_000, 240_000];
const MAX_PARALLEL = 32;
// Added to the timeout of an attempt, because reading the values and recording the attempt also take time.
const HOLD_MS = 60_000;
const MAX_POLL_MS = 60_000;

export function webhookDeliveries(parts: DeliveryParts): Deliveries {
  const { queue, send, log, pauses = PAUSES } = parts;
  const sending = new Set<Promise<void>>();
  const stopper = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let polling: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let unwatch = () => {};

  function poll(): void {
    again = true;
    polling ??= takeDue()
      .catch((err) => {
        log.error({ err }, 'reading due webhooks failed, will retry');
        schedule(MAX_POLL_MS);
      })
      .finally(() => {
        polling = undefined;
        if (again && !stopped) poll();
      });
  }

  async function takeDue(): Promise<void> {
    while (again && !stopped) {
      again = false;
      const limit = MAX_PARALLEL - sending.size;
      // Each attempt polls again when it ends.
      if (limit === 0) return;
      const holdMs = parts.timeoutSeconds * 1000 + HOLD_MS;
      for (const delivery of await queue.take(Date.now(), { holdMs, limit })) track(deliver(delivery));
    }
    // Notifications of deliveries that other servers have added may be late or lost, so also poll at least once a minute.
    const next = await queue.nextAt();
    schedule((next ?? Number.POSITIVE_INFINITY) - Date.now());
  }

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(poll, Math.min(Math.max(milliseconds, 0), MAX_POLL_MS));
  }

  function track(work: Promise<void>): void {
    const ended = work
      .catch((err) => log.error({ err }, 'recording a webhook attempt failed, it will be sent again'))
      .finally(() => {
        sending.delete(ended);
        if (!stopped) poll();
      });
    sending.add(ended);
  }

  async function deliver(delivery: WebhookDelivery): Promise<void> {
    const attempt = await trySend(delivery);
    if (attempt.error !== null && stopper.signal.aborted) return;
    const pause = pauses[delivery.attempts.length];
    const failed = pause === undefined ? ('given_up' as const) : { at: Date.now() + pause };
    const next = attempt.error === null ? ('delivered' as const) : failed;
    await queue.record(delivery.deliveryId, attempt, next);
    report(delivery, attempt, next);
  }

  async function trySend(delivery: WebhookDelivery): Promise<WebhookAttempt> {
    const at = Date.now();
    try {
      const status = await send(delivery, stopper.signal);
      const isSuccess = status >= 200 && status < 300;
      return { at, status, error: isSuccess ? null : `unexpected status ${status}` };
    } catch (error) {
      return { at, status: null, error: messageOf(error) };
    }
  }

  function report(
    { deliveryId, url, run, attempts }: WebhookDelivery,
    { status, error }: WebhookAttempt,
    next: { at: number } | 'delivered' | 'given_up',
  ): void {
    // Paths and queries of webhooks may contain secrets.
    const to = isOwnPath(url) ? url.split('?')[0] : new URL(url).host;
    const fields = { delivery_id: deliveryId, run_id: run.runId, to, attempt: attempts.length + 1, status };
    if (next === 'delivered') log.info(fields, 'webhook delivered');
    else if (next === 'given_up') log.warn({ ...fields, error }, 'webhook given up');
    else log.info({ ...fields, error }, 'webhook delivery failed, will retry');
  }

  return {
    start() {
      unwatch = queue.watch(poll);
      poll();
    },
    async stop(milliseconds) {
      stopped = true;
      unwatch();
      clearTimeout(timer);
      const deadline = setTimeout(() => stopper.abort(), milliseconds);
      await polling;
      await Promise.all(sending);
      clearTimeout(deadline);
    },
  };
}

function messageOf(error: unknown): string {
  const { detail, message, code } = error as { detail?: string; message?: string; code?: string };
  return detail ?? (message || code || String(error));
}

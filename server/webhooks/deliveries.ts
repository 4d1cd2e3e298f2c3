/** Sends webhooks as their runs end, again with growing pauses where that fails, and gives them up after some minutes. */
import type { Logger } from 'pino';
import type { WebhookAttempt, WebhookDelivery, WebhookQueue } from '../../state/webhooks.ts';
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
  /** Sends what is due, also what an earlier process left. */
  start(): void;
  /** Resolves when nothing is being sent; what takes longer than `milliseconds` is sent again at the next start. */
  stop(milliseconds: number): Promise<void>;
}

const PAUSES = [5_000, 30_000, 90_000, 240_000];
const AT_ONCE = 32;
// Beyond the time limit of an attempt: reading the values and recording the attempt take time as well.
const HOLD_MS = 60_000;
const LONGEST_MS = 60_000;

export function webhookDeliveries(parts: DeliveryParts): Deliveries {
  const { queue, send, log, pauses = PAUSES } = parts;
  const sending = new Set<Promise<void>>();
  const stopper = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let unwatch = () => {};

  function look(): void {
    again = true;
    looking ??= lookAll()
      .catch((err) => {
        log.error({ err }, 'webhooks cannot be looked for, tried again');
        later(LONGEST_MS);
      })
      .finally(() => {
        looking = undefined;
        if (again && !stopped) look();
      });
  }

  async function lookAll(): Promise<void> {
    while (again && !stopped) {
      again = false;
      const limit = AT_ONCE - sending.size;
      // Whoever ends its work looks again.
      if (limit === 0) return;
      const holdMs = parts.timeoutSeconds * 1000 + HOLD_MS;
      for (const delivery of await queue.take(Date.now(), { holdMs, limit })) track(deliver(delivery));
    }
    // What another server has added may be told of late, or never.
    const next = await queue.nextAt();
    later((next ?? Number.POSITIVE_INFINITY) - Date.now());
  }

  function later(milliseconds: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(look, Math.min(Math.max(milliseconds, 0), LONGEST_MS));
  }

  function track(work: Promise<void>): void {
    const ended = work
      .catch((err) => log.error({ err }, 'an attempt at a webhook cannot be recorded, it is sent again'))
      .finally(() => {
        sending.delete(ended);
        if (!stopped) look();
      });
    sending.add(ended);
  }

  async function deliver(delivery: WebhookDelivery): Promise<void> {
    const attempt = await attempted(delivery);
    if (attempt.error !== null && stopper.signal.aborted) return;
    const pause = pauses[delivery.attempts.length];
    const failed = pause === undefined ? ('given_up' as const) : { at: Date.now() + pause };
    const next = attempt.error === null ? ('delivered' as const) : failed;
    await queue.record(delivery.deliveryId, attempt, next);
    report(delivery, attempt, next);
  }

  async function attempted(delivery: WebhookDelivery): Promise<WebhookAttempt> {
    const at = Date.now();
    try {
      const status = await send(delivery, stopper.signal);
      const isTaken = status >= 200 && status < 300;
      return { at, status, error: isTaken ? null : `answered with status ${status}` };
    } catch (error) {
      return { at, status: null, error: messageOf(error) };
    }
  }

  function report(
    { deliveryId, url, run, attempts }: WebhookDelivery,
    { status, error }: WebhookAttempt,
    next: { at: number } | 'delivered' | 'given_up',
  ): void {
    // Paths and queries of webhooks may hold secrets.
    const to = isOwnPath(url) ? url.split('?')[0] : new URL(url).host;
    const about = { delivery_id: deliveryId, run_id: run.runId, to, attempt: attempts.length + 1, status };
    if (next === 'delivered') log.info(about, 'webhook delivered');
    else if (next === 'given_up') log.warn({ ...about, error }, 'webhook given up');
    else log.info({ ...about, error }, 'webhook not delivered, tried again later');
  }

  return {
    start() {
      unwatch = queue.watch(look);
      look();
    },
    async stop(milliseconds) {
      stopped = true;
      unwatch();
      clearTimeout(timer);
      const late = setTimeout(() => stopper.abort(), milliseconds);
      await looking;
      await Promise.all(sending);
      clearTimeout(late);
    },
  };
}

function messageOf(error: unknown): string {
  const { detail, message, code } = error as { detail?: string; message?: string; code?: string };
  return detail ?? (message || code || String(error));
}

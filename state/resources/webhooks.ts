/** The queue of webhook deliveries. A delivery is written in the transaction that ends its run. */
import type { Run } from '../threads/runs.ts';

/** Times are milliseconds since 1970. */
export interface WebhookDelivery {
  deliveryId: string;
  /** A URL, or a path of this service. */
  url: string;
  /** The ended run, without its agents and its result. */
  run: Run;
  /** The thread's head after the run. */
  head: string | null;
  attempts: WebhookAttempt[];
}

export interface WebhookAttempt {
  at: number;
  /** The HTTP status of the response; null without a response. */
  status: number | null;
  /** The reason of the failure; null for the successful attempt. */
  error: string | null;
}

/** The status of a delivery, for inspection. */
export interface WebhookRecord {
  deliveryId: string;
  state: 'waiting' | 'delivered' | 'given_up';
  attempts: WebhookAttempt[];
}

export interface WebhookQueue {
  /**
   * Takes deliveries that are due, oldest first. Other servers don't get them for `holdMs`. Then they are due again unless
   * `record` was called, so each is sent at least once even if a process ends in between.
   */
  take(now: number, options: { holdMs: number; limit: number }): Promise<WebhookDelivery[]>;
  /** Records an attempt and settles the delivery, or sets the time of the next attempt. */
  record(
    deliveryId: string,
    attempt: WebhookAttempt,
    next: { at: number } | 'delivered' | 'given_up',
  ): Promise<void>;
  /** The time at which the next delivery is due; null if none is waiting. */
  nextAt(): Promise<number | null>;
  /** The deliveries of a run. They are kept for a week, and at most as long as the thread. */
  ofRun(runId: string): Promise<WebhookRecord[]>;
  /** Calls `listen` soon after each new delivery; the returned function unsubscribes. */
  watch(listen: () => void): () => void;
}

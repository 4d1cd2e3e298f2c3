/** Webhooks that are to be sent: a delivery is written with the end of its run, and stays until it is settled. */
import type { Run } from './runs.ts';

/** Times are milliseconds since 1970. */
export interface WebhookDelivery {
  deliveryId: string;
  /** A URL, or a path of this service. */
  url: string;
  /** As it ended, without its agents and its result. */
  run: Run;
  /** The thread's head after the run. */
  head: string | null;
  attempts: WebhookAttempt[];
}

export interface WebhookAttempt {
  at: number;
  /** The HTTP status of the answer; null if there was none. */
  status: number | null;
  /** Why it failed; null for the one that was delivered. */
  error: string | null;
}

/** A delivery as it stands, for those who look into what became of it. */
export interface WebhookRecord {
  deliveryId: string;
  state: 'waiting' | 'delivered' | 'given_up';
  attempts: WebhookAttempt[];
}

export interface WebhookQueue {
  /**
   * Deliveries that are due, oldest first. Nobody else is given them for `holdMs`, after which they are due again unless
   * they were recorded: so each is sent at least once, whenever a process ends.
   */
  take(now: number, options: { holdMs: number; limit: number }): Promise<WebhookDelivery[]>;
  /** Records an attempt: the delivery is settled, or due again at a time. */
  record(
    deliveryId: string,
    attempt: WebhookAttempt,
    next: { at: number } | 'delivered' | 'given_up',
  ): Promise<void>;
  /** When the next one is due; null if none waits. */
  nextAt(): Promise<number | null>;
  /** What became of a run's webhook, for as long as its thread is there, and for a week. */
  ofRun(runId: string): Promise<WebhookRecord[]>;
  /** Calls `listen` soon after each new delivery; the returned function ends that. */
  watch(listen: () => void): () => void;
}

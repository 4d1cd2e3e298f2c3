/** What every call of the client may be told. */

type HeaderValues = Record<string, string>;

/** The part of the platform's `fetch` that is used. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Sent with every request; a function is asked before each, so that credentials may be renewed. */
  headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /** Default: the platform's. */
  fetch?: Fetch;
}

export interface StreamOptions extends ClientOptions {
  /** Stops the stream. */
  signal?: AbortSignal;
  /** How long a connection may say nothing before it is taken for dead; default 15 s, three heartbeats. */
  silenceMs?: number;
  retry?: Partial<RetryOptions>;
}

export interface RetryOptions {
  /** How often in a row a broken connection is tried again before the run has begun; default 6, about 8 s. */
  startAttempts: number;
  /** The same for a run that has begun, counted anew whenever something was heard; default 30, about 2 minutes. */
  rejoinAttempts: number;
  /** Bounds of the pause before the first attempt, which doubles at each; default 250. */
  firstDelayMs: number;
  /** Default 10 000. */
  longestDelayMs: number;
  /** Gives a number from 0 to below 1; default `Math.random`. */
  random: () => number;
}

/** The options of every call of the client. */

type HeaderValues = Record<string, string>;

/** The part of the platform's `fetch` that the client uses. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Sent with every request. A function is called before each request, so that it can renew credentials. */
  headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /** Default: the platform's `fetch`. */
  fetch?: Fetch;
}

export interface StreamOptions extends ClientOptions {
  /** Stops the stream. */
  signal?: AbortSignal;
  /** How long a connection may be silent before it counts as lost. Default: 15 s, three heartbeats. */
  silenceMs?: number;
  retry?: Partial<RetryOptions>;
}

export interface RetryOptions {
  /** The number of retries in a row after a broken connection before the run has started. Default: 6, about 8 s. */
  startAttempts: number;
  /** The same for a started run; the count is reset whenever data arrives. Default: 30, about 2 minutes. */
  rejoinAttempts: number;
  /** Upper limit of the delay before the first retry. It doubles with each retry. Default: 250. */
  firstDelayMs: number;
  /** At this value, that limit stops doubling. Default: 10,000. */
  longestDelayMs: number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). Default: `Math.random`. */
  random: () => number;
}

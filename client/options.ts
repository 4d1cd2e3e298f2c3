/** The options of every call of the client. */

type HeaderValues = Record<string, string>;

/** The part of the platform's `fetch` that the client uses. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Sent with every request; a function is called before each one, so that credentials can be renewed. */
  headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /** The platform's by default. */
  fetch?: Fetch;
}

export interface StreamOptions extends ClientOptions {
  /** Stops the stream. */
  signal?: AbortSignal;
  /** How long a connection may be silent before it counts as lost; 15 s by default, three heartbeats. */
  silenceMs?: number;
  retry?: Partial<RetryOptions>;
}

export interface RetryOptions {
  /** How many times in a row to retry a broken connection before the run has started; 6 by default, about 8 s. */
  startAttempts: number;
  /** The same for a started run, reset whenever data arrives; 30 by default, about 2 minutes. */
  rejoinAttempts: number;
  /** Upper limit of the pause before the first retry; doubles with each retry. 250 by default. */
  firstDelayMs: number;
  /** 10 000 by default. */
  longestDelayMs: number;
  /** Returns a number from 0 to below 1; `Math.random` by default. */
  random: () => number;
}

/** The stream of thread changes, one for each open page, and whether the service can be reached. */
import { useSyncExternalStore } from 'react';
import { sessionFetch } from '../session/session.ts';
import { invalidate } from './resources.ts';
import { SERVICE } from './service.ts';

export type Connection = 'open' | 'lost';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 5_000;
/** The service sends a heartbeat every 5 seconds. */
const TIMEOUT_MS = 12_000;

let state: Connection = 'open';
const listeners = new Set<() => void>();
const changeListeners = new Set<(threads: string[] | undefined) => void>();

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection);
}

const connection = (): Connection => state;

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Calls `changed` with the ids of changed threads, or with undefined when the connection is restored. */
export function onThreadChanges(changed: (threads: string[] | undefined) => void): () => void {
  changeListeners.add(changed);
  return () => changeListeners.delete(changed);
}

/**
 * Reads the stream while the page is visible, because browsers limit the connections to a host. Returns a function that
 * stops it.
 */
export function watchThreadChanges(owner: string | undefined): () => void {
  let stop = new AbortController();
  const restart = () => {
    stop.abort();
    stop = new AbortController();
    if (document.visibilityState === 'visible') void listen(owner, stop.signal);
  };
  restart();
  document.addEventListener('visibilitychange', restart);
  return () => {
    stop.abort();
    document.removeEventListener('visibilitychange', restart);
  };
}

async function listen(owner: string | undefined, signal: AbortSignal): Promise<void> {
  let delay = FIRST_DELAY_MS;
  while (!signal.aborted) {
    try {
      await readChanges(owner, signal, () => {
        delay = FIRST_DELAY_MS;
        setConnection('open');
      });
    } catch {
      // Every error leads to another attempt.
    }
    if (signal.aborted) return;
    setConnection('lost');
    await pause(delay, signal);
    delay = Math.min(2 * delay, MAX_DELAY_MS);
  }
}

async function readChanges(
  owner: string | undefined,
  signal: AbortSignal,
  received: () => void,
): Promise<void> {
  const timeout = new AbortController();
  let timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
  try {
    const query = owner === undefined ? '' : `?owner=${encodeURIComponent(owner)}`;
    const response = await sessionFetch(`${SERVICE}/api/v1/thread-changes${query}`, {
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    // The page itself shows the log-in form or the missing permission.
    if (response.status === 401 || response.status === 403) return await pause(TIMEOUT_MS, signal);
    if (!response.ok || !response.body) return;
    let text = '';
    for await (const chunk of textChunks(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
      received();
      const frames = (text + chunk).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) publish(frame);
    }
  } finally {
    clearTimeout(timer);
  }
}

function publish(frame: string): void {
  const data = /^event: changes\ndata: (.*)$/m.exec(frame)?.[1];
  if (data === undefined) return;
  const { threads } = JSON.parse(data) as { threads: string[] };
  if (threads.length === 0) return;
  invalidate('threads');
  invalidate('runs:');
  for (const changed of changeListeners) changed(threads);
}

function setConnection(next: Connection): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
  if (next === 'lost') return;
  // Reload everything: reads may have failed, and changes may have been missed.
  invalidate();
  for (const changed of changeListeners) changed(undefined);
}

async function* textChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(done.resolve, milliseconds);
  const cancel = () => {
    clearTimeout(timer);
    done.resolve();
  };
  signal.addEventListener('abort', cancel, { once: true });
  return done.promise.finally(() => signal.removeEventListener('abort', cancel));
}

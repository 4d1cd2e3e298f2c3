/** What the service says of changes while a page is shown, and whether it can be reached: one stream for each page. */
import { useSyncExternalStore } from 'react';
import { invalidate } from './resources.ts';
import { SERVICE } from './service.ts';
import { sessionFetch } from './session.ts';

export type Connection = 'open' | 'lost';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 5_000;
/** The service says something every 5 seconds. */
const SILENCE_MS = 12_000;

let state: Connection = 'open';
const listeners = new Set<() => void>();
const hearing = new Set<(threads: string[] | undefined) => void>();

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection);
}

const connection = (): Connection => state;

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Called with the threads that have changed; without any where the service can be reached again. */
export function whenChanged(changed: (threads: string[] | undefined) => void): () => void {
  hearing.add(changed);
  return () => hearing.delete(changed);
}

/** Listens while the page can be seen: browsers allow few connections to a service. The function that it gives ends that. */
export function listenForChanges(owner: string | undefined): () => void {
  let leaving = new AbortController();
  const look = () => {
    leaving.abort();
    leaving = new AbortController();
    if (document.visibilityState === 'visible') void listen(owner, leaving.signal);
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    leaving.abort();
    document.removeEventListener('visibilitychange', look);
  };
}

async function listen(owner: string | undefined, signal: AbortSignal): Promise<void> {
  let delay = FIRST_DELAY_MS;
  while (!signal.aborted) {
    try {
      await hear(owner, signal, () => {
        delay = FIRST_DELAY_MS;
        become('open');
      });
    } catch {
      // Whatever it was, it is tried again.
    }
    if (signal.aborted) return;
    become('lost');
    await pause(delay, signal);
    delay = Math.min(2 * delay, LONGEST_DELAY_MS);
  }
}

async function hear(owner: string | undefined, signal: AbortSignal, reached: () => void): Promise<void> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  try {
    const query = owner === undefined ? '' : `?owner=${encodeURIComponent(owner)}`;
    const response = await sessionFetch(`${SERVICE}/api/v1/thread-changes${query}`, {
      signal: AbortSignal.any([signal, silent.signal]),
    });
    // Somebody must log in, or may not look: the page says so by itself.
    if (response.status === 401 || response.status === 403) return await pause(SILENCE_MS, signal);
    if (!response.ok || !response.body) return;
    let text = '';
    for await (const piece of piecesOf(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE_MS);
      reached();
      const frames = (text + piece).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) tell(frame);
    }
  } finally {
    clearTimeout(timer);
  }
}

function tell(frame: string): void {
  const data = /^event: changes\ndata: (.*)$/m.exec(frame)?.[1];
  if (data === undefined) return;
  const { threads } = JSON.parse(data) as { threads: string[] };
  if (threads.length === 0) return;
  invalidate('threads');
  invalidate('runs:');
  for (const changed of hearing) changed(threads);
}

function become(next: Connection): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
  if (next === 'lost') return;
  // What could not be read is read now, and what has changed meanwhile.
  invalidate();
  for (const changed of hearing) changed(undefined);
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
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
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  const leave = () => {
    clearTimeout(timer);
    over.resolve();
  };
  signal.addEventListener('abort', leave, { once: true });
  return over.promise.finally(() => signal.removeEventListener('abort', leave));
}

/** Following a thread over its runs: stored and new events, and when the stream ends. */
import { expect, test } from 'bun:test';
import { followThread } from '../../../../runtime/run/following/follow-thread.ts';
import { type LiveRun, threadActivity } from '../../../../runtime/run/thread-activity.ts';
import type { ThreadBatch } from '../../../../state/threads/events.ts';

/** Stored batches of one entry each, and a log that announces them. */
function thread() {
  const stored: ThreadBatch[] = [];
  let change = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const log = { listeners: 0, closed: undefined as LiveRun['log']['closed'] };
  const activity = threadActivity();
  return {
    activity,
    log,
    events: {
      readThread: async (_: string, after: number, limit: number) =>
        stored.filter(({ seq }) => seq > after).slice(0, limit),
    },
    run: {
      log: {
        listen() {
          log.listeners++;
          return () => void log.listeners--;
        },
        changed: () => change.promise,
        get closed() {
          return log.closed;
        },
      },
      ended: ended.promise,
    } satisfies LiveRun,
    store() {
      const number = stored.length + 1;
      const chat = { first: number, last: number };
      stored.push({ first: number, last: number, chat, entries: [], runId: 'r', seq: number });
      const { resolve } = change;
      change = Promise.withResolvers();
      resolve();
    },
    end() {
      log.closed = { reason: undefined };
      change.resolve();
      ended.resolve();
    },
  };
}

const seqs = ({ value }: IteratorResult<ThreadBatch[], unknown>) =>
  (value as ThreadBatch[]).map(({ seq }) => seq);

test('stored batches come first, then new ones, also of a run that begins later', async () => {
  const { activity, events, run, store, log, end } = thread();
  for (let count = 0; count < 5; count++) store();
  const stopper = new AbortController();
  const following = followThread({ events, activity }, { keyOf: async () => 'k', signal: stopper.signal });
  expect(seqs(await following.next())).toEqual([1, 2, 3, 4]);
  expect(seqs(await following.next())).toEqual([5]);
  expect(seqs(await following.next())).toEqual([]);
  const next = following.next();
  activity.runStarted('k', run);
  expect(seqs(await next)).toEqual([]);
  expect(log.listeners).toBe(1);
  const later = following.next();
  store();
  expect(seqs(await later)).toEqual([6]);
  end();
  expect(seqs(await following.next())).toEqual([]);
  await Bun.sleep(0);
  expect([log.listeners, activity.of('k')]).toEqual([0, []]);
  const last = following.next();
  stopper.abort();
  await last;
  expect((await following.next()).done).toBe(true);
});

test('a thread that does not exist yet is found when a run begins', async () => {
  const { activity, events, run, store } = thread();
  let key: string | undefined;
  const { signal } = new AbortController();
  const following = followThread({ events, activity }, { keyOf: async () => key, signal });
  expect(seqs(await following.next())).toEqual([]);
  const next = following.next();
  key = 'k';
  store();
  activity.runStarted('k', run);
  expect(seqs(await next)).toEqual([1]);
  await following.return(undefined);
});

test('the stream ends when the service stops', async () => {
  const { activity, events } = thread();
  const { signal } = new AbortController();
  const following = followThread({ events, activity }, { keyOf: async () => 'k', signal });
  await following.next();
  const next = following.next();
  activity.close();
  expect((await next).done).toBe(true);
});

test('batches of another process are found, and the stream ends when the thread is deleted', async () => {
  const { activity, events, store } = thread();
  let key: string | undefined = 'k';
  const { signal } = new AbortController();
  const following = followThread({ events, activity, lookAgain: 5 }, { keyOf: async () => key, signal });
  expect(seqs(await following.next())).toEqual([]);
  store();
  let found: number[] = [];
  while (found.length === 0) found = seqs(await following.next());
  expect(found).toEqual([1]);
  key = undefined;
  for (;;) if ((await following.next()).done) break;
});

test('other work runs while a long log is read', async () => {
  const { activity, events, store } = thread();
  for (let count = 0; count < 8_000; count++) store();
  const stopper = new AbortController();
  const following = followThread({ events, activity }, { keyOf: async () => 'k', signal: stopper.signal });
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  const read: number[] = [];
  for await (const batches of following) {
    if (batches.length === 0) break;
    read.push(...batches.map(({ seq }) => seq));
  }
  clearInterval(other);
  expect(read).toEqual(Array.from({ length: 8_000 }, (_, index) => index + 1));
  expect(turns).toBeGreaterThan(0);
});

/** A run's log: when entries are numbered, joined and stored, what listeners get, and failed writes. */
import { expect, test } from 'bun:test';
import { CHAT } from '../../../runtime/journal/chat-events.ts';
import { type Append, runLog } from '../../../runtime/journal/run-log.ts';
import { runProgress } from '../../../runtime/journal/run-progress.ts';
import { LeaseLost } from '../../../state/cluster/lease.ts';
import { errorBody } from '../../../state/errors.ts';
import type { EventBatch, NewEntry } from '../../../state/threads/events.ts';
import { until } from '../../server/support/until.ts';

interface Appended {
  batch: EventBatch;
  urgency: string;
}

/** A store that keeps the batches, or rejects them a given number of times. */
function store(failures = 0) {
  const appended: Appended[] = [];
  const append: Append = async (take, urgency) => {
    await new Promise(setImmediate);
    const batches = take();
    if (failures-- > 0) throw new Error('the disk is full');
    appended.push(...batches.map((batch) => ({ batch, urgency })));
  };
  return { appended, append, texts: () => textsOf(appended.map(({ batch }) => batch)) };
}

const token = (delta: string, node = 'a', id = 'm'): NewEntry => ({
  ...{ kind: 'message', node, taskId: node },
  body: { delta, id },
});
const agent = (state: 'started' | 'finished', attempt = 1): NewEntry =>
  state === 'started'
    ? { kind: 'task', node: 'a', body: { attempt } }
    : { kind: 'task_end', node: 'a', body: { state, attempt, duration_ms: 1 } };
const checkpoint = (next: string): NewEntry => ({
  kind: 'checkpoint',
  body: { parent: null, source: 'loop', next: [next] },
});
const textsOf = (batches: EventBatch[]) =>
  batches.flatMap(({ entries }) =>
    entries.map(({ kind, body }) => (body as { delta?: string } | null)?.delta ?? kind),
  );
const received = (log: ReturnType<typeof runLog>, after = 0) => log.since(CHAT, after);

test('consecutive tokens of an agent are one event, and tokens of another agent start a new one', async () => {
  const { appended, append } = store();
  const log = runLog(append);
  for (const text of ['a', 'b', 'c']) log.emit(token(text));
  log.emit(token('x', 'other'));
  await until(() => appended.length > 0);
  expect(appended).toMatchObject([
    { urgency: 'soon', batch: { first: 1, last: 2, entries: [token('abc'), token('x', 'other')] } },
  ]);
});

test('chat joins text independently of hidden entries, and the log keeps the text of each message', async () => {
  const { appended, append } = store();
  const log = runLog(append);
  log.listen();
  log.emit(checkpoint('a'));
  log.emit(token('a'));
  log.emit(token('b'));
  log.emit(checkpoint('b'));
  log.emit(token('c'));
  log.emit(token('d', 'a', 'another message'));
  log.emit(checkpoint('c'));
  await until(() => received(log)?.length === 1);
  expect(received(log)).toEqual([
    { first: 1, last: 1, events: [{ event: 'token', data: { agent: 'a', text: 'abcd' } }] },
  ]);
  expect(appended).toMatchObject([{ batch: { first: 1, last: 6, chat: { first: 1, last: 1 } } }]);
  expect(textsOf(appended.map(({ batch }) => batch))).toEqual([
    ...['checkpoint', 'ab', 'checkpoint', 'c', 'd', 'checkpoint'],
  ]);
});

test('reasoning is joined by message up to a limit, and chat does not show it', async () => {
  const { appended, append } = store();
  const log = runLog(append);
  const reasoning = (delta: string, id = 'm'): NewEntry => ({
    ...{ kind: 'reasoning', node: 'a', taskId: 'a' },
    body: { delta, id },
  });
  log.listen();
  for (const delta of ['a', 'b']) log.emit(reasoning(delta));
  log.emit(reasoning('x', 'other'));
  log.emit(reasoning('y'.repeat(5_000), 'other'));
  log.emit(reasoning('z', 'other'));
  await until(() => appended.length === 1);
  expect(appended).toMatchObject([{ batch: { chat: { first: 1, last: 0 } } }]);
  expect(textsOf(appended.map(({ batch }) => batch))).toEqual(['ab', `x${'y'.repeat(5_000)}`, 'z']);
  expect(log.text()).toBe('');
});

test('an entry that chat does not show is stored after a short delay if no event follows', async () => {
  const { appended, append } = store();
  const log = runLog(append);
  log.emit(checkpoint('a'));
  log.emit(checkpoint('b'));
  await until(() => appended.length === 1);
  expect(appended).toMatchObject([{ batch: { first: 1, last: 2, chat: { first: 1, last: 0 } } }]);
  log.emit(token('x'));
  expect(log.ending([])).toMatchObject([{ first: 3, last: 3, chat: { first: 1, last: 1 } }]);
});

test('with a listener, the first token is stored immediately, and the following ones together', async () => {
  const { appended, append, texts } = store();
  const log = runLog(append);
  log.listen();
  log.emit(token('first'));
  await until(() => appended.length === 1, 10);
  for (const text of ['b', 'c', 'd']) log.emit(token(text));
  await until(() => appended.length === 2);
  expect(texts()).toEqual(['first', 'bcd']);
  expect(appended.map(({ urgency }) => urgency)).toEqual(['now', 'now']);
});

test('listeners get only stored entries, and a failed write is retried without gaps or duplicates', async () => {
  const { appended, append } = store(2);
  const log = runLog(append);
  log.listen();
  log.emit(token('one'));
  await Bun.sleep(5);
  expect(received(log)).toEqual([]);
  log.emit(agent('finished'));
  await until(() => appended.length === 2);
  expect(appended.map(({ batch }) => [batch.first, batch.last]).toSorted()).toEqual([
    [1, 1],
    [2, 2],
  ]);
  await until(() => received(log)?.length === 2);
  expect(received(log, 1)?.map(({ first }) => first)).toEqual([2]);
});

function restored(...entries: NewEntry[]) {
  const progress = runProgress();
  for (const entry of entries) progress.restore(entry);
  return { progress, last: entries.length, chat: entries.length - 1 };
}

test('numbers and attempts continue after those of an earlier process', () => {
  const earlier = restored(agent('started'), token('half'), agent('started', 2));
  const log = runLog(store().append, { earlier });
  expect(log.executions.begin('a', { taskId: 'a' })).toEqual({ attempt: 3, execution: 1 });
  expect(log.executions.begin('a', { taskId: 'later' })).toEqual({ attempt: 1, execution: 2 });
  expect(log.executions.begin('b', { taskId: 'b' })).toEqual({ attempt: 1, execution: 1 });
  log.emit(agent('started', 3));
  expect(log.ending([token('end')])[0]).toMatchObject({ first: 4, last: 5, chat: { first: 3, last: 4 } });
});

test('a finished task whose checkpoint was lost starts its second attempt', () => {
  const earlier = restored(agent('started'), agent('finished'));
  const log = runLog(store().append, { earlier });
  expect(log.executions.begin('a', { taskId: 'a' })).toEqual({ attempt: 2, execution: 1 });
});

test('the text is that of the last attempts, with a block for each of several agents', () => {
  const log = runLog(store().append);
  for (const entry of [agent('started'), token('wrong'), agent('started', 2), token('right')])
    log.emit(entry);
  expect(log.text()).toBe('right');
  log.emit(token('more', 'b'));
  expect(log.text()).toBe('a: right\n\nb: more');
});

test('an end that cannot be stored is replaced: another one follows the same events', () => {
  const log = runLog(store().append);
  log.emit(token('said'));
  const response: NewEntry = { kind: 'response', body: null };
  expect(textsOf(log.ending([response]))).toEqual(['said', 'response']);
  const failed = log.ending([{ kind: 'error', body: errorBody(new Error('x'), 'r') }]);
  expect(textsOf(failed)).toEqual(['said', 'error']);
  expect(failed).toMatchObject([{ first: 1, last: 2 }]);
});

test('without a listener, a write takes its entries when it is sent, and the rest is stored with the end', async () => {
  const { appended, append } = store();
  const log = runLog(append);
  log.emit(agent('started'));
  log.emit(token('said'));
  await Bun.sleep(50);
  expect(appended).toEqual([]);
  log.emit(agent('finished'));
  log.emit(checkpoint('b'));
  await until(() => appended.length === 1);
  expect(appended).toMatchObject([{ urgency: 'soon', batch: { first: 1, last: 4 } }]);
  log.emit(agent('finished'));
  expect(log.ending([{ kind: 'end', body: {} }])).toMatchObject([{ first: 5, last: 6 }]);
  await Bun.sleep(5);
  expect(appended.length).toBe(1);
});

test('a retried transaction takes the same entries and those that have been added since', async () => {
  const attempts: string[][] = [];
  const log = runLog(async (take) => {
    attempts.push(textsOf(take()));
    log.emit(token('since'));
    attempts.push(textsOf(take()));
  });
  log.emit(agent('finished'));
  await until(() => attempts.length === 2);
  expect(attempts).toEqual([['task_end'], ['task_end', 'since']]);
  expect(textsOf(log.ending([{ kind: 'end', body: {} }]))).toEqual(['end']);
});

test('a write that waits when the run is claimed takes no entries: its lease has ended, and another write is queued', async () => {
  const writes: { take: () => EventBatch[]; end: PromiseWithResolvers<void> }[] = [];
  const log = runLog((take) => {
    const end = Promise.withResolvers<void>();
    writes.push({ take, end });
    return end.promise;
  });
  log.emit(agent('started'));
  log.followed();
  expect(writes).toHaveLength(1);
  log.claimed();
  log.emit(agent('finished'));
  expect(writes.length).toBeGreaterThan(1);
  const [stale, current] = writes.map(({ take }) => textsOf(take()));
  expect([stale, current]).toEqual([[], ['task', 'task_end']]);
  writes[0]?.end.reject(new Error('the lease is lost'));
  for (const { end } of writes.slice(1)) end.resolve();
});

test('a new listener gets the earlier entries immediately', async () => {
  const { appended, append, texts } = store();
  const log = runLog(append);
  log.emit(agent('started'));
  log.emit(token('said'));
  log.listen();
  log.emit(token(' before'));
  await until(() => received(log)?.length === 1, 100);
  expect(appended.map(({ urgency }) => urgency)).toEqual(['now']);
  expect(texts()).toEqual(['task', 'said before']);
});

test('a new follower in another process gets the earlier entries immediately', async () => {
  const { appended, append, texts } = store();
  let isFollowed = false;
  const log = runLog(append, { isFollowed: () => isFollowed });
  log.emit(agent('started'));
  log.emit(token('said'));
  isFollowed = true;
  log.followed();
  await until(() => appended.length > 0, 100);
  expect(appended.map(({ urgency }) => urgency)).toEqual(['now']);
  expect(texts()).toEqual(['task', 'said']);
});

test('waiting listeners are notified of the end, and of a stop with its reason', async () => {
  const log = runLog(store().append);
  log.listen();
  log.ending([{ kind: 'end', body: {} }]);
  const changed = log.changed();
  log.close();
  await changed;
  expect(log.closed).toEqual({ reason: undefined });
  expect(received(log)).toEqual([{ first: 1, last: 1, events: [{ event: 'end', data: {} }] }]);
  const stopped = runLog(store().append);
  stopped.close(new Error('stopping'));
  expect(stopped.closed?.reason?.message).toBe('stopping');
});

test('a slow listener has to read from the store, and batches stay small', async () => {
  const { appended, append } = store();
  const log = runLog(append);
  log.listen();
  for (let n = 0; n < 400; n++) {
    log.emit(agent('started'));
    log.emit(token('x'.repeat(5_000)));
    await Promise.resolve();
  }
  await until(() => appended.reduce((sum, { batch }) => sum + batch.entries.length, 0) === 800);
  await until(() => received(log, 800)?.length === 0);
  expect(received(log)).toBeUndefined();
  expect(received(log, 799)?.at(-1)?.last).toBe(800);
  expect(Math.max(...appended.map(({ batch }) => batch.entries.length))).toBeLessThanOrEqual(16);
});

test('parallel agents with the same name are distinguished', async () => {
  const { append } = store();
  const log = runLog(append);
  const message = (delta: string, task: string): NewEntry => ({
    ...{ kind: 'message', node: 'agent', taskId: task, ns: [`sub-${task}:1`] },
    body: { delta, id: task },
  });
  for (const entry of [
    message('How ', 'x'),
    message('are ', 'x'),
    message('Fine', 'y'),
    message('you?', 'x'),
  ])
    log.emit(entry);
  const [batch] = log.ending([]);
  expect(batch && CHAT.of(batch).events.map(({ data }) => data)).toEqual([
    { agent: 'agent', path: ['sub-x'], text: 'How are ' },
    { agent: 'agent', path: ['sub-y'], text: 'Fine' },
    { agent: 'agent', path: ['sub-x'], text: 'you?' },
  ]);
});

test('entries of a write that the old lease may reject are stored with the first write of the new one', async () => {
  const writes: { batches: EventBatch[]; done: PromiseWithResolvers<void> }[] = [];
  const append: Append = (take) => {
    const done = Promise.withResolvers<void>();
    setImmediate(() => writes.push({ batches: take(), done }));
    return done.promise;
  };
  const log = runLog(append, { isQueued: true });
  log.listen();
  log.emit(agent('started'));
  await until(() => writes.length === 1);
  log.claimed();
  log.emit(agent('finished'));
  await until(() => writes.length === 2);
  expect(writes[1]?.batches.map(({ first }) => first)).toEqual([1, 2]);
  writes[1]?.done.resolve();
  writes[0]?.done.reject(new LeaseLost({ runId: 'r', number: 0 }));
  await until(() => received(log)?.at(-1)?.last === 2);
  expect(received(log)?.map(({ first, last }) => [first, last])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('entries that were stored while the run was queued are stored again when it is claimed, and listeners get them once', async () => {
  const { appended, append } = store();
  const log = runLog(append, { isQueued: true });
  const run: NewEntry = {
    kind: 'run',
    body: { run_id: 'r', thread_id: 't', message_id: 'm', workflow: 'w' },
  };
  log.listen();
  log.emit(run);
  await until(() => received(log)?.length === 1);
  log.claimed();
  log.emit(token('a'));
  await until(() => appended.length === 3);
  expect(appended.map(({ batch }) => batch.first)).toEqual([1, 1, 2]);
  await until(() => received(log)?.length === 2);
  expect(received(log)?.map(({ first }) => first)).toEqual([1, 2]);
  expect(received(log, 1)?.map(({ first }) => first)).toEqual([2]);
});

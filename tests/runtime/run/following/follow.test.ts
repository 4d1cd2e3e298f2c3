/** All followers of a run get the same stream, however its log is split and stored, from any position. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAT, type ChatEvent } from '../../../../runtime/journal/chat-events.ts';
import { type Append, runLog } from '../../../../runtime/journal/run-log.ts';
import type { ViewBatch } from '../../../../runtime/journal/view.ts';
import type { ActiveRun } from '../../../../runtime/run/active-run.ts';
import { follower } from '../../../../runtime/run/following/follow.ts';
import { remoteRuns } from '../../../../runtime/run/following/remote-runs.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import type { LogEntry, NewEntry } from '../../../../state/threads/events.ts';
import { randomOf } from '../../../client/random.ts';
import { failedEnd, storedTurn } from '../../../contracts/turn.ts';

const rejectEnd = () => Promise.reject(new Error('the end is not requested'));
const folder = mkdtempSync(join(tmpdir(), 'skein-follow-'));
const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const SEED = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 1e9);
console.log(`seed ${SEED}`);
const random = randomOf(SEED);
const randomBelow = (limit: number) => Math.floor(random() * limit);

/** An event of an agent, or of the run itself. */
function randomEntry(): NewEntry {
  const node = `agent${randomBelow(2)}`;
  const place = { node, taskId: node };
  const delta = 'word '.repeat(random() < 0.1 ? 500 : 1 + randomBelow(5));
  const all: NewEntry[] = [
    { ...place, kind: 'task', body: { attempt: 1 + randomBelow(2) } },
    { ...place, kind: 'task_end', body: { state: 'finished', duration_ms: 1 } },
    { ...place, kind: 'task_end', body: { state: 'interrupted', duration_ms: 1, interrupts: ['i'] } },
    { ...place, kind: 'task', body: { agent: 'clerk', part: 'look_up' } },
    { ...place, kind: 'status', body: { text: 'working' } },
    { kind: 'checkpoint', body: { parent: null, source: 'loop', next: [node] } },
  ];
  const entry = random() < 0.6 ? undefined : all[randomBelow(all.length)];
  return entry ?? { ...place, kind: 'message', body: { delta, id: `m${randomBelow(2)}` } };
}

/** Joins consecutive tokens, because their number of events depends on the timing. */
function joined(events: ChatEvent[]): ChatEvent[] {
  const merged: ChatEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (event.event === 'token' && last?.event === 'token' && last.data.agent === event.data.agent)
      merged[merged.length - 1] = {
        ...event,
        data: { ...event.data, text: last.data.text + event.data.text },
      };
    else merged.push(event);
  }
  return merged;
}

const numbered = (shown: ViewBatch<ChatEvent>[]) =>
  shown.flatMap(({ first, events }) => events.map((event, index) => ({ id: first + index, ...event })));

test('chat gets the same events, however the log is cut into batches', () => {
  for (let round = 0; round < 200; round++) {
    const entries = Array.from({ length: 60 }, (): LogEntry => ({ at: 1, ...randomEntry() }));
    const oneBatch = CHAT.of({
      ...{ first: 1, last: 60, chat: { first: 1, last: 0 } },
      entries: structuredClone(entries),
    });
    const cut: ChatEvent[] = [];
    for (let first = 0; first < entries.length; ) {
      const length = 1 + randomBelow(20);
      const chat = { first: cut.length + 1, last: 0 };
      const batch = { first: 1, last: 1, chat, entries: entries.slice(first, first + length) };
      cut.push(...CHAT.of(batch).events);
      first += length;
    }
    expect(joined(cut)).toEqual(joined(oneBatch.events));
  }
});

test('every follower gets the rest of the same stream, live or later, even if writes fail', async () => {
  for (let round = 0; round < 8; round++) {
    const { run, lease, thread } = await storedTurn(state, { ends: 'accepted', threadId: `t${round}` });
    let failing = false;
    const failingAppend: Append = async (...args) => {
      // Like a failed transaction, with everything in it.
      failing ||= random() < 0.05;
      setImmediate(() => {
        failing = false;
      });
      if (failing) throw new Error('the disk is full');
      await state.events.append(lease, ...args);
    };
    const log = runLog(failingAppend);
    const active = new Map([[run.runId, { log } as ActiveRun]]);
    const follow = follower({ state, remoteRuns: remoteRuns(state, rejectEnd), active });
    const followers: { after: number; received: Promise<ViewBatch<ChatEvent>[]> }[] = [];
    const startFollowing = (after: number) =>
      followers.push({ after, received: Array.fromAsync(follow(run.runId, { view: CHAT, after })) });
    const emitted: LogEntry[] = [];
    for (let n = 0; n < 150; n++) {
      const entry = n === 0 ? runEntry(run) : randomEntry();
      emitted.push({ at: 1, ...structuredClone(entry) });
      log.emit(entry);
      if (random() < 0.05) startFollowing(randomBelow(n + 2));
      if (random() < 0.1) await Bun.sleep(randomBelow(30));
      else if (random() < 0.3) await Promise.resolve();
    }
    const rest = log.ending([{ kind: 'end', body: {} }]);
    await state.coordination.end(lease, { ...failedEnd({ run, thread }), events: rest }, false);
    startFollowing(0);
    log.close();
    active.delete(run.runId);

    const stream = numbered(await Array.fromAsync(follow(run.runId, { view: CHAT, after: 0 })));
    const expected = CHAT.of({ first: 1, last: 1, chat: { first: 1, last: 0 }, entries: emitted }).events;
    expect(joined(stream.map(({ id: _, ...event }) => event))).toEqual([
      ...joined(expected),
      { event: 'end', data: {} },
    ]);
    expect(stream.map(({ id }) => id)).toEqual(stream.map((_, index) => index + 1));
    for (let after = 0; after <= stream.length; after += 1 + randomBelow(5)) startFollowing(after);
    for (const { after, received } of followers)
      expect({ after, received: numbered(await received) }).toEqual({ after, received: stream.slice(after) });

    const batches = await state.events.read(run.runId, { entry: 0 }, 1_000);
    expect(batches.map(({ first }) => first)).toEqual(
      batches.map((_, index) => (batches[index - 1]?.last ?? 0) + 1),
    );
    const threadBatches = await state.events.readThread(
      (await state.runs.find('ann', run.runId))?.threadKey ?? '',
      0,
      1_000,
    );
    expect(threadBatches.map(({ first, seq }) => first - seq)).toEqual(batches.map(() => 0));
  }
}, 60_000);

function runEntry(run: { runId: string; threadId: string; messageId: string; workflow: string }): NewEntry {
  const { runId: run_id, threadId: thread_id, messageId: message_id, workflow } = run;
  return { kind: 'run', body: { run_id, thread_id, message_id, workflow } };
}

test('a follower of a run that stops with the service gets the events up to then, and the reason', async () => {
  const { run, lease } = await storedTurn(state, { ends: 'accepted', threadId: 'stopped' });
  const log = runLog((...args) => state.events.append(lease, ...args));
  const active = new Map([[run.runId, { log } as ActiveRun]]);
  const follow = follower({ state, remoteRuns: remoteRuns(state, rejectEnd), active });
  log.emit(runEntry(run));
  const batches = follow(run.runId, { view: CHAT, after: 0 });
  expect((await batches.next()).value).toMatchObject({ first: 1 });
  const next = batches.next();
  log.close(new SkeinError('SHUTTING_DOWN'));
  await expect(next).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
});

test('other work runs while a long stored log is read', async () => {
  const count = 8_000;
  const stored = Array.from({ length: count }, (_, index) => {
    const numbers = { first: index + 1, last: index + 1 };
    const entries: LogEntry[] = [{ kind: 'status', body: { text: 'working' }, at: 1 }];
    return { ...numbers, chat: numbers, entries };
  });
  const read = async (_: string, from: { entry: number } | { chat: number }, limit: number) => {
    const after = 'entry' in from ? from.entry : from.chat;
    return stored.filter(({ first }) => first > after).slice(0, limit);
  };
  const follow = follower({
    state: {
      events: { ...state.events, read },
      runs: { ...state.runs, hasEnded: () => Promise.resolve(true) },
    },
    remoteRuns: remoteRuns(state, rejectEnd),
    active: new Map(),
  });
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  let last = 0;
  for await (const batch of follow('r', { view: CHAT, after: 0 })) last = batch.last;
  clearInterval(other);
  expect(last).toBe(count);
  expect(turns).toBeGreaterThan(0);
});

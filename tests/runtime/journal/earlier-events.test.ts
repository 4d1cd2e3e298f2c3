/** The events from which a run continues after its process has ended, however long its log is. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { earlierEvents } from '../../../runtime/journal/earlier-events.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import type { EventBatch, NewEntry } from '../../../state/threads/events.ts';
import { storedTurn } from '../../contracts/turn.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-earlier-'));
const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

const BATCHES = 500;
const EVENTS = 16;

/** In every batch, the agent restarts, streams a word and sends a progress event. */
function batch(number: number): EventBatch {
  const first = number * EVENTS + 1;
  const taskStart: NewEntry = { kind: 'task', node: 'a', body: { attempt: number + 1 } };
  const token: NewEntry = { kind: 'message', node: 'a', body: { delta: `word ${number}` } };
  const status: NewEntry = { kind: 'status', node: 'a', body: { text: 'x'.repeat(500) } };
  const entries = [taskStart, token, ...Array<NewEntry>(EVENTS - 2).fill(status)];
  const last = first + EVENTS - 1;
  // Chat has shown one event less.
  const chat = { first: Math.max(1, first - 1), last: last - 1 };
  return { first, last, chat, entries: entries.map((entry) => ({ at: 1, ...entry })) };
}

test('a long log is read completely, a few batches at a time', async () => {
  const { run, lease } = await storedTurn(state, { ends: 'accepted' });
  const writes = Array.from({ length: BATCHES }, (_, n) =>
    state.events.append(lease, () => [batch(n)], 'soon'),
  );
  await Promise.all(writes);
  const pages: number[] = [];
  const events: Pick<typeof state.events, 'read'> = {
    async read(...args) {
      const page = await state.events.read(...args);
      pages.push(page.length);
      return page;
    },
  };
  const { progress, last, chat } = await earlierEvents(events, run.runId);
  expect([last, chat]).toEqual([BATCHES * EVENTS, BATCHES * EVENTS - 1]);
  expect(progress.text()).toBe(`word ${BATCHES - 1}`);
  expect(progress.executions.begin('a', { node: 'a' }).attempt).toBe(BATCHES + 1);
  expect(pages.reduce((sum, length) => sum + length)).toBe(BATCHES);
  expect(Math.max(...pages)).toBeLessThanOrEqual(32);
});

test('a run without a log has no progress', async () => {
  const { progress, last, chat } = await earlierEvents(state.events, 'unknown');
  expect({ last, chat, agents: progress.agents() }).toEqual({ last: 0, chat: 0, agents: [] });
});

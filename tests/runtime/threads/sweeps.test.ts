/** Only one of several servers sweeps at a time, a sweep skips threads that became busy, and it ends early if it is stopped. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { recordedCalls } from '../../../runtime/journal/recorded-calls.ts';
import { type Deletion, threadDeletion } from '../../../runtime/threads/deletion.ts';
import { retention } from '../../../runtime/threads/retention.ts';
import { temporaryThreads } from '../../../runtime/threads/temporary-threads.ts';
import { threadExpiry } from '../../../runtime/threads/thread-expiry.ts';
import type { Sweeps } from '../../../state/cluster/sweeps.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import type { Archive } from '../../../state/threads/archive.ts';
import { accepted, failedEnd, storedTurn } from '../../contracts/turn.ts';
import { until } from '../../server/support/until.ts';

test('old, temporary and expired threads are kept while another server deletes such threads', async () => {
  const names: string[] = [];
  const sweeps: Sweeps = { runExclusively: async (name) => void names.push(name) };
  // Any call of it fails the test.
  const removal = new Proxy({} as Archive['removal'], {
    get: (_, name) => {
      throw new Error(`removal.${String(name)} is used`);
    },
  });
  const parts = { expireThread: async () => true, sweeps, log: pino({ level: 'silent' }) };
  const sweepers = [
    retention({
      ...parts,
      ...{ removal, retentionDays: 1, eventRetentionHours: 1, maxSharePerHour: 1 },
      retentionHour: { take: rejectRemoval, release: rejectRemoval },
    }),
    temporaryThreads({ ...parts, removal: { temporary: () => removal.temporary(1, 1) } }),
    threadExpiry({
      ...parts,
      removal: { expired: () => removal.expired(1, 1), history: rejectRemoval, scrub: rejectRemoval },
    }),
  ];
  for (const one of sweepers) one.start();
  await until(() => names.length === 3);
  await Promise.all(sweepers.map((one) => one.stop()));
  expect(names.toSorted()).toEqual(['retention', 'temporary threads', 'thread expiry']);
});

async function rejectRemoval(): Promise<never> {
  throw new Error('removal is used');
}

type Sweeper = 'retention' | 'temporary threads' | 'thread expiry';

function sweeperOf(
  name: Sweeper,
  state: ReturnType<typeof openSqlite>,
  expireThread: Deletion['expireThread'],
) {
  const { removal } = state.archive;
  const parts = { removal, expireThread, sweeps: state.sweeps, log: pino({ level: 'silent' }) };
  if (name === 'temporary threads') return temporaryThreads(parts);
  if (name === 'thread expiry') return threadExpiry(parts);
  const { retentionHour } = state;
  return retention({ ...parts, retentionHour, retentionDays: 1, eventRetentionHours: 1, maxSharePerHour: 1 });
}

test.concurrent.each<Sweeper>(['retention', 'temporary threads', 'thread expiry'])(
  'a sweep of %s skips a thread that became busy, and deletes no more when it is stopped',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-sweeps-'));
    const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
    const { archive, coordination } = state;
    for (const threadId of ['a', 'b', 'c']) {
      const ids = { runId: Bun.randomUUIDv7(), messageId: Bun.randomUUIDv7(), owner: 'ann', threadId };
      const temporary = name === 'temporary threads';
      const request = { userPrompt: '?', deadlineSeconds: 1, requestId: 'r', temporary };
      const turn = await accepted(state, { ...ids, title: '', workflow: 'w', request, createdAt: 1 });
      await coordination.end(turn.lease, failedEnd(turn, 1), false);
      const ttl = { minutes: 0, strategy: 'delete' as const };
      if (name === 'thread expiry') await archive.threads.update('ann', threadId, { ttl });
    }
    const { expireThread } = threadDeletion({
      ...{ archive, coordination, active: new Map(), recordedCalls: recordedCalls() },
    });
    const attempted: string[] = [];
    let stopped: Promise<void> | undefined;
    const sweeper = sweeperOf(name, state, async (owner, threadId, time) => {
      attempted.push(threadId);
      if (attempted.length === 1) await storedTurn(state, { threadId, ends: 'accepted' });
      else stopped = sweeper.stop();
      return expireThread(owner, threadId, time);
    });
    sweeper.start();
    await until(() => stopped !== undefined);
    await stopped;
    const found = ['a', 'b', 'c'].map((threadId) => archive.threads.find('ann', threadId));
    const kept = (await Promise.all(found)).flatMap((thread) => thread?.threadId ?? []);
    expect(attempted).toHaveLength(2);
    expect(kept).toEqual(['a', 'b', 'c'].filter((threadId) => threadId !== attempted[1]));
    await state.close();
    rmSync(folder, { recursive: true });
  },
);

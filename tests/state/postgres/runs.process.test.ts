/** Reading runs, messages and feedback. */
import { describe, expect, test } from 'bun:test';
import { feedbackStore } from '../../../state/postgres/feedback.ts';
import { messages } from '../../../state/postgres/messages.ts';
import { runs } from '../../../state/postgres/runs/runs.ts';
import { postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { insertRun, insertThread } from './stored-rows.ts';

async function opened() {
  const { open, drop } = await postgresServers();
  const database = open();
  return { database, drop, thread: await insertThread(database, 't'), store: runs(database) };
}

describe.skipIf(POSTGRES === undefined)('runs', () => {
  test('are found by their owner unless their thread is being deleted', async () => {
    const { database, thread, store, drop } = await opened();
    await insertRun(database, { runId: 'r', thread, status: 'running', startedAt: 3 });
    expect(await store.find('ann', 'r')).toMatchObject({
      ...{ runId: 'r', owner: 'ann', threadId: 't', status: 'running', startedAt: 3, finishedAt: null },
      ...{ request: { userPrompt: 'NUL: \0' }, result: { agentResponse: '!' }, agents: [{ agent: 'a' }] },
    });
    expect(await store.find('bob', 'r')).toBeUndefined();
    expect(await store.find('ann', 'unknown')).toBeUndefined();
    await database.run(`UPDATE skein.threads SET owner = ''`);
    expect(await store.find('ann', 'r')).toBeUndefined();
    await drop();
  });

  test('that are unfinished are listed in the order of acceptance; an unreadable one is ended', async () => {
    const { database, thread, store, drop } = await opened();
    await insertRun(database, { runId: 'z', thread, status: 'running' });
    await insertRun(database, { runId: 'broken', thread, status: 'queued', request: '{' });
    await insertRun(database, { runId: 'a', thread, status: 'queued' });
    await insertRun(database, { runId: 'over', thread, status: 'succeeded', finishedAt: 1 });
    expect((await store.unfinished()).map(({ runId }) => runId)).toEqual(['z', 'a']);
    expect(await database.all(`SELECT status FROM skein.runs WHERE run_id = 'broken'`)).toEqual([
      { status: 'failed' },
    ]);
    await drop();
  });

  test('have statistics', async () => {
    const { database, thread, store, drop } = await opened();
    const ended = { thread, startedAt: 1 };
    await insertRun(database, { ...ended, runId: 'a', status: 'succeeded', finishedAt: 31 });
    await insertRun(database, { ...ended, runId: 'b', status: 'succeeded', finishedAt: 11 });
    await insertRun(database, { ...ended, runId: 'c', status: 'failed', finishedAt: 5 });
    await insertRun(database, { ...ended, runId: 'd', status: 'running' });
    await database.run(`UPDATE skein.runs SET created_at = 9 WHERE run_id = 'c'`);
    expect(await store.statistics('w')).toEqual({
      ...{ succeeded: 2, failed: 1, lastRunAt: 9, failedInARow: 1, durations: [10, 30] },
    });
    expect((await store.statistics('none')).lastRunAt).toBeNull();
    await drop();
  });
});

test.skipIf(POSTGRES === undefined)(
  'a message belongs to its owner and has the newest feedback',
  async () => {
    const { database, thread, drop } = await opened();
    await database.run(
      `INSERT INTO skein.messages (message_id, thread, run_id, workflow, role, content, status, created_at)
     VALUES ('m', $1, 'r', 'w', 'assistant', 'Hello', 'complete', 7)`,
      thread,
    );
    expect(await messages(database).find('ann', 'm')).toEqual({
      ...{ messageId: 'm', threadKey: '000000000001', threadId: 't', runId: 'r' },
      ...{ role: 'assistant', content: 'Hello', createdAt: 7 },
    });
    expect(await messages(database).find('bob', 'm')).toBeUndefined();
    const feedback = feedbackStore(database);
    const stored = {
      ...{ message_id: 'm', thread_id: 't', user_id: null, positive_feedback: true, rating: null },
      ...{ comment: 'NUL: \0', tags: ['a'], updated_at: '2026-01-01T00:00:00Z' },
    };
    expect(await feedback.get('m')).toBeUndefined();
    await feedback.put({ ...stored, rating: 1 });
    await feedback.put(stored);
    expect(await feedback.get('m')).toEqual(stored);
    await drop();
  },
);

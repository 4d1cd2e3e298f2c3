import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { archiveContract } from '../../contracts/archive.ts';
import { budgetsContract } from '../../contracts/budgets.ts';
import { coordinationContract } from '../../contracts/coordination.ts';
import { cronsContract } from '../../contracts/crons.ts';
import { erasureContract } from '../../contracts/erasure.ts';
import { feedbackContract } from '../../contracts/feedback.ts';
import { interruptsContract } from '../../contracts/interrupts.ts';
import { removalContract } from '../../contracts/removal.ts';
import { searchContract } from '../../contracts/search.ts';
import { stateContract } from '../../contracts/state.ts';
import { threadArchiveContract } from '../../contracts/thread-archive.ts';
import { ROOM } from '../../contracts/turn.ts';
import { usageContract } from '../../contracts/usage.ts';
import { webhookRun, webhooksContract } from '../../contracts/webhooks.ts';

stateContract(openEmpty);
coordinationContract(openEmpty);
archiveContract(openEmpty);
threadArchiveContract(openEmpty);
removalContract(openEmpty);
interruptsContract(openEmpty);
feedbackContract(openEmpty);
webhooksContract(openEmpty);
cronsContract(openEmpty);
erasureContract(openEmpty);
searchContract(openEmpty);
usageContract(openEmpty);
budgetsContract(openEmpty);

test('a webhook that an earlier process had taken is due immediately', async () => {
  const { state, next, close } = await openEmpty();
  await webhookRun(state);
  const options = { holdMs: 60_000, limit: 10 };
  expect(await state.webhooks.take(Date.now(), options)).toHaveLength(1);
  expect(await state.webhooks.take(Date.now(), options)).toHaveLength(0);
  expect(await (await next()).webhooks.take(Date.now(), options)).toHaveLength(1);
  await close();
});

async function openEmpty() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-state-'));
  const open = () => openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  let state = open();
  return {
    state,
    async next() {
      await state.close();
      state = open();
      return state;
    },
    async close() {
      await state.close();
      rmSync(folder, { recursive: true });
    },
  };
}

test('a write waits while another process writes to the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-locked-'));
  const path = join(folder, 'state.db');
  const state = openSqlite({ path, checkpointsPerThread: 20 });
  const outside = new Database(path);
  outside.run('BEGIN IMMEDIATE');
  const stored = state.coordination.accept(
    {
      runId: 'r',
      messageId: 'm',
      owner: 'ann',
      threadId: 't',
      title: '',
      workflow: 'w',
      request: { userPrompt: '?', deadlineSeconds: 1, requestId: 'r' },
      createdAt: 1,
    },
    ROOM,
  );
  await Bun.sleep(120);
  expect(Bun.peek.status(stored)).toBe('pending');
  outside.run('COMMIT');
  outside.close();
  expect((await stored).outcome).toBe('accepted');
  await state.close();
  rmSync(folder, { recursive: true });
});

test('a state closes and reopens while another process writes to the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-closed-'));
  const path = join(folder, 'state.db');
  const state = openSqlite({ path, checkpointsPerThread: 20 });
  const outside = new Database(path);
  outside.run('BEGIN IMMEDIATE');
  await state.close();
  outside.run('COMMIT');
  outside.close();
  await openSqlite({ path, checkpointsPerThread: 20 }).close();
  rmSync(folder, { recursive: true });
});

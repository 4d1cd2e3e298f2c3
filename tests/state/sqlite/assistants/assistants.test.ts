/** Assistants on SQLite: the contract, and what a restart leaves of them. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { assistantsContract } from '../../../contracts/assistants.ts';

assistantsContract(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-assistants-'));
  const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  const close = async () => {
    await state.close();
    rmSync(folder, { recursive: true });
  };
  return { assistants: state.assistants, close };
});

test('assistants and their versions survive a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-assistants-'));
  const open = () => openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  const content = { graph: 'g', name: 'N', description: null, config: {}, context: {}, metadata: {} };
  const first = open();
  await first.assistants.create('ann', 'a', content, 1);
  await first.assistants.change('ann', 'a', { context: { model: 'm' } }, 2);
  await first.close();
  const second = open();
  expect(await second.assistants.find('ann', 'a')).toEqual({
    ...{ ...content, context: { model: 'm' }, assistantId: 'a', version: 2, createdAt: 1, updatedAt: 2 },
  });
  expect(await second.assistants.versions('ann', 'a', { limit: 10, offset: 0 })).toHaveLength(2);
  await second.close();
  rmSync(folder, { recursive: true });
});

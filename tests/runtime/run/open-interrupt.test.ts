/** The open interrupt of a thread when its next run starts. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutInterrupt } from '../../../runtime/run/open-interrupt.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { storedTurn } from '../../contracts/turn.ts';

test('the open interrupt is dropped, unless the thread was deleted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-interrupt-'));
  const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  await storedTurn(state, { ends: 'interrupted' });
  const { lease, thread } = await storedTurn(state, { ends: 'accepted' });
  expect(thread.interrupt).not.toBeNull();
  const updated = await withoutInterrupt(state.threads, thread.key, lease);
  expect(updated).toMatchObject({ threadId: 't', interrupt: null });
  const deleted = withoutInterrupt(state.threads, '999', lease);
  await expect(deleted).rejects.toMatchObject({ code: 'THREAD_NOT_FOUND' });
  await state.close();
  rmSync(folder, { recursive: true });
});

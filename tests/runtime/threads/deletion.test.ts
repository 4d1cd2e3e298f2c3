/** A turn that another server accepts while a thread is being deleted is cancelled first. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordedCalls } from '../../../runtime/journal/recorded-calls.ts';
import { threadDeletion } from '../../../runtime/threads/deletion.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import type { Removal } from '../../../state/threads/archive.ts';
import { failedEnd, storedTurn } from '../../contracts/turn.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-deletion-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a turn that is accepted after the thread was closed is stopped, and the thread is deleted when it has ended', async () => {
  const state = openSqlite({ path: join(root, 'state.db'), checkpointsPerThread: 20 });
  const { archive, coordination } = state;
  const { thread } = await storedTurn(state);
  const deleted: boolean[] = [];
  const stopped: string[] = [];
  const removal: Removal = {
    ...archive.removal,
    async thread(key) {
      if (deleted.length === 0) {
        // As after a pause that was longer than this server's lease: the thread is no longer closed.
        await coordination.openThread(key);
        const late = await storedTurn(state, { ends: 'accepted' });
        coordination.watch((hint) => {
          if (hint.kind !== 'stop' || hint.runId !== late.run.runId) return;
          stopped.push(hint.reason);
          void coordination.end(late.lease, failedEnd(late), false).catch(() => {});
        });
      }
      const isDeleted = await archive.removal.thread(key);
      deleted.push(isDeleted);
      return isDeleted;
    },
  };
  const { deleteThread } = threadDeletion({
    ...{ archive: { ...archive, removal }, coordination, active: new Map(), recordedCalls: recordedCalls() },
  });
  await deleteThread('ann', 't');
  expect(stopped[0]).toBe('cancel');
  expect(deleted).toEqual([false, true]);
  expect(await state.threads.byKey(thread.key)).toBeUndefined();
  await state.close();
});

/** An empty state on SQLite in a new folder, for tests of code above its items. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../state/sqlite/open.ts';

export function openItems() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-items-'));
  const open = () => openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  let state = open();
  return {
    folder,
    items: state.items,
    removal: state.archive.removal,
    commits: async () => (await state.check()).commits ?? 0,
    async reopen() {
      await state.close();
      state = open();
      return state.items;
    },
    async close() {
      await state.close();
      rmSync(folder, { recursive: true });
    },
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { stateContract } from '../../contracts/state.ts';

stateContract(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-state-'));
  const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  return {
    state,
    async close() {
      await state.close();
      rmSync(folder, { recursive: true });
    },
  };
});

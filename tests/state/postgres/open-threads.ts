/**
 * Threads and their archive on an empty PostgreSQL, with as much of a state around them as their tests need: runs,
 * messages and checkpoints as rows.
 */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { archive } from '../../../state/postgres/archive.ts';
import { openDatabase } from '../../../state/postgres/database/database.ts';
import { migrate } from '../../../state/postgres/database/migrate.ts';
import { threadStore } from '../../../state/postgres/threads/thread-store.ts';
import type { ArchivedState } from '../../contracts/archive.ts';
import { freshDatabase } from '../../support/postgres-database.ts';
import { checkpointRows } from './checkpoint-rows.ts';
import { runRows } from './run-rows.ts';

export async function openThreads() {
  const { url, drop } = await freshDatabase();
  const database = openDatabase({ url, size: 4, answerMs: 10_000 });
  await migrate(database);
  const { checkpoints, reading, checkpointer } = checkpointRows(database);
  const threads = threadStore(database, checkpoints, () => 'server');
  const parts = {
    threads,
    archive: archive({ database, checkpoints, reading }),
    ...runRows(database, threads),
    checkpointer: checkpointer as unknown as BaseCheckpointSaver,
  };
  return {
    database,
    state: parts as unknown as ArchivedState,
    async close() {
      await database.close();
      await drop();
    },
  };
}

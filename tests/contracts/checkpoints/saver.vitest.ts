/** LangGraph's conformance suite on every saver. Runs under vitest, because the suite is written for it. */
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { openSaver as openPostgres } from '../../state/postgres/checkpoints/open-saver.ts';
import { openSaver as openSqlite } from '../../state/sqlite/checkpoints/open-saver.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

function validated(checkpointerName: string, open: () => ReturnType<typeof openPostgres>): void {
  const closing = new Map<BaseCheckpointSaver, () => Promise<void>>();
  const initializer = {
    checkpointerName,
    async createCheckpointer() {
      const { saver, close } = await open();
      closing.set(saver, close);
      return saver;
    },
    destroyCheckpointer: async (saver: BaseCheckpointSaver) => closing.get(saver)?.(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}

validated('skein-sqlite', openSqlite);
if (POSTGRES !== undefined) validated('skein-postgres', openPostgres);

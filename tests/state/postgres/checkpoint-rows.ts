/** Checkpoints as rows: what stands in for a saver in the tests of threads. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { type Checkpoint, type PendingWrite, WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint';
import type { CheckpointArchive, StoredCheckpoint } from '../../../state/archive.ts';
import type { Database, Statements } from '../../../state/postgres/database/database.ts';
import type { Checkpoints } from '../../../state/postgres/threads/checkpoints.ts';

export function checkpointRows(database: Database) {
  const ids = (names: string[]) => JSON.stringify(names);

  async function prune(tx: Statements, thread: string, names: string[]): Promise<void> {
    const isNamed = 'thread = $1 AND id IN (SELECT jsonb_array_elements_text($2::text::jsonb))';
    await tx.run(`DELETE FROM skein.checkpoints WHERE ${isNamed}`, thread, ids(names));
    await tx.run(`DELETE FROM skein.checkpoint_writes WHERE ${isNamed}`, thread, ids(names));
    await tx.run('SELECT skein.drop_values_v1($1)', thread);
  }

  const checkpoints: Checkpoints = {
    prune,
    pruneHistory: prune,
    async copySteps() {},
    release() {},
  };

  const find = async (key: string, id: string): Promise<StoredCheckpoint | undefined> => {
    const row = await database.get<{ run_id: string | null; metadata: string }>(
      'SELECT run_id, metadata FROM skein.checkpoints WHERE thread = $1 AND id = $2',
      key,
      id,
    );
    const { source = '' } = row ? JSON.parse(row.metadata) : {};
    const rest = { namespace: '', parentId: null, step: 0, agents: [], next: [], createdAt: '' };
    return row && { checkpointId: id, runId: row.run_id, source, ...rest };
  };
  const reading: CheckpointArchive = {
    find,
    findAny: find,
    list: () => Promise.resolve({ items: [], next: null }),
  };

  const placeOf = ({ configurable }: RunnableConfig) =>
    [configurable?.thread_id, configurable?.checkpoint_ns ?? '', configurable?.checkpoint_id] as const;

  let version = 0;
  const checkpointer = {
    getNextVersion: () => ++version,
    async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: object) {
      const { id, channel_values, channel_versions } = checkpoint;
      const [thread, ns] = placeOf(config);
      await database.run(
        `INSERT INTO skein.checkpoints (thread, ns, id, run_id, versions, body, metadata)
         VALUES ($1, $2, $3, $4, $5, '{}', $6)`,
        ...[thread, ns, id, config.configurable?.run_id ?? null],
        ...[JSON.stringify(channel_versions), JSON.stringify(metadata)],
      );
      for (const [channel, value] of Object.entries(channel_values))
        await database.run(
          'INSERT INTO skein.checkpoint_values (thread, ns, channel, version, value) VALUES ($1, $2, $3, $4, $5)',
          ...[thread, ns, channel, String(channel_versions[channel]), JSON.stringify(value)],
        );
    },
    async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string) {
      const [thread, ns, id] = placeOf(config);
      const stored = writes.map(([channel, value], index) => [
        WRITES_IDX_MAP[channel] ?? index,
        channel,
        value,
      ]);
      await database.run(
        `INSERT INTO skein.checkpoint_writes AS w (thread, ns, id, task, writes) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (thread, ns, id, task) DO UPDATE SET writes = skein.merge_writes(w.writes, excluded.writes)`,
        ...[thread, ns, id, task, JSON.stringify(stored)],
      );
    },
    async getTuple(config: RunnableConfig) {
      const [thread, ns, id] = placeOf(config);
      const known = await database.get(
        'SELECT 1 FROM skein.checkpoints WHERE thread = $1 AND id = $2',
        thread,
        id,
      );
      const rows = await database.all<{ task: string; writes: string }>(
        'SELECT task, writes FROM skein.checkpoint_writes WHERE thread = $1 AND ns = $2 AND id = $3 ORDER BY task',
        ...[thread, ns, id],
      );
      const pendingWrites = rows.flatMap(({ task, writes }) =>
        (JSON.parse(writes) as unknown[][]).map(([, channel, value]) => [task, channel, value]),
      );
      return known && { pendingWrites };
    },
    async *list({ configurable }: RunnableConfig) {
      const rows = await database.all<{ id: string }>(
        'SELECT id FROM skein.checkpoints WHERE thread = $1 ORDER BY id DESC',
        configurable?.thread_id ?? '',
      );
      for (const { id } of rows) yield { checkpoint: { id } };
    },
  };
  return { checkpoints, reading, checkpointer };
}

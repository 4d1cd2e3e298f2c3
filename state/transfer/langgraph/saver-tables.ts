/** Reads the tables of LangGraph's PostgresSaver (`@langchain/langgraph-checkpoint-postgres`). */
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  JsonPlusSerializer,
} from '@langchain/langgraph-checkpoint';
import { configurationError } from '../../errors.ts';
import { document, type Statements } from '../../postgres/database/database.ts';
import { reading } from '../postgres-store.ts';

export interface SavedCheckpoint {
  thread: string;
  ns: string;
  id: string;
  parent: string | null;
  /** Without the values that are in the table `checkpoint_blobs`. */
  checkpoint: Checkpoint;
  metadata: CheckpointMetadata;
}

export interface SaverTables {
  /** All checkpoints, grouped by thread, oldest first. */
  checkpoints(): AsyncIterable<SavedCheckpoint>;
  /** The values of channels at these versions. An emptied channel has no value. */
  values(
    key: Pick<SavedCheckpoint, 'thread' | 'ns'>,
    versions: [channel: string, version: string][],
  ): Promise<Record<string, unknown>>;
  /** The writes of each task, in the order in which they were written. */
  writes(key: Pick<SavedCheckpoint, 'thread' | 'ns' | 'id'>): Promise<CheckpointPendingWrite[]>;
}

interface Row {
  thread: string;
  ns: string;
  id: string;
  parent: string | null;
  checkpoint: string;
  metadata: string;
}

interface ValueRow {
  channel: string;
  type: string;
  blob: Uint8Array | null;
}

const EMPTY = 'empty';

/** Throws CONFIGURATION_ERROR if the schema has no such tables. */
export async function saverTables(tx: Statements, name: string, schema: string): Promise<SaverTables> {
  const at = (table: string) => `"${schema.replaceAll('"', '""')}".${table}`;
  const found = await tx.get<{ name: string | null }>(
    'SELECT to_regclass($1)::text AS name',
    at('checkpoint_blobs'),
  );
  if (!found?.name)
    throw configurationError(name, `the schema '${schema}' of this database has no PostgresSaver tables`);
  const serde = new JsonPlusSerializer();

  async function loaded({ type, blob }: Omit<ValueRow, 'channel'>): Promise<unknown> {
    // LangGraph for Python writes msgpack with the names of Python classes.
    if (type !== 'json' && type !== 'bytes')
      throw new ImportError(`a value has the format '${type}'. Only json and bytes are supported`);
    return serde.loadsTyped(type, blob ?? new Uint8Array());
  }

  return {
    async *checkpoints() {
      const slices = reading(tx).select({
        columns: `thread_id AS thread, checkpoint_ns AS ns, checkpoint_id AS id, parent_checkpoint_id AS parent,
          checkpoint::text AS checkpoint, metadata::text AS metadata`,
        from: at('checkpoints'),
        order: 'thread_id COLLATE "C", checkpoint_id COLLATE "C", checkpoint_ns COLLATE "C"',
      });
      for await (const rows of slices)
        for (const row of rows as unknown as Row[])
          yield {
            ...row,
            checkpoint: JSON.parse(row.checkpoint),
            metadata: (await serde.loadsTyped('json', row.metadata)) as CheckpointMetadata,
          };
    },
    async values({ thread, ns }, versions) {
      const rows = await tx.all<ValueRow>(
        `SELECT b.channel, b.type, b.blob
         FROM jsonb_to_recordset($3::text::jsonb) AS named(channel text, version text)
         JOIN ${at('checkpoint_blobs')} AS b ON b.channel = named.channel AND b.version = named.version
         WHERE b.thread_id = $1 AND b.checkpoint_ns = $2 AND b.type <> '${EMPTY}'`,
        ...[thread, ns, document(versions.map(([channel, version]) => ({ channel, version })))],
      );
      const values: Record<string, unknown> = {};
      for (const row of rows) values[row.channel] = await loaded(row);
      return values;
    },
    async writes({ thread, ns, id }) {
      const rows = await tx.all<ValueRow & { task: string }>(
        `SELECT task_id AS task, channel, type, blob FROM ${at('checkpoint_writes')}
         WHERE thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id = $3 ORDER BY task_id, idx`,
        ...[thread, ns, id],
      );
      const writes: CheckpointPendingWrite[] = [];
      for (const row of rows) writes.push([row.task, row.channel, await loaded(row)]);
      return writes;
    },
  };
}

/** The thread cannot be imported, for example because a saver for another language has written it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

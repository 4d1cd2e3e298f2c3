/** The checkpoint saver on PostgreSQL: LangGraph's interface, plus run ids and leases. */
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { decode, encode } from '../../checkpoints/serializer.ts';
import { deltaChannelsOf } from '../../driver/checkpoints/delta-channels.ts';
import type { ThreadSaver } from '../../driver/checkpoints/run-saver.ts';
import {
  addParentSends,
  bodyOf,
  entryOf,
  hasParentSends,
  namespaceOf,
  nextVersion,
  placeOf,
  startsAnother,
  type TaskWritesRow,
  threadOf,
  tupleOf,
  type Writer,
  writesText,
} from '../../driver/checkpoints/tuples.ts';
import type { Database } from '../database/database.ts';
import type { RunWriteQueue } from '../runs/write-queue.ts';
import type { RunWrites } from '../runs/writes.ts';
import { historiesAt } from './delta-steps.ts';
import { complete, type StoredRow, selected } from './read.ts';
import { type ValueRows, valueRows } from './value-rows.ts';

export interface SaverParts {
  database: Database;
  queue: RunWriteQueue;
  /** The writing run. Without one, writes don't require a lease, and each call waits for its write. */
  writer?: Writer | undefined;
}

interface Newest {
  id: string;
  source: CheckpointMetadata['source'];
}

const PAGE = 20;

/**
 * Stores each channel's value once per version, so a step only writes what it changed. `put` and `putWrites` of a run return
 * when the write is queued, except for a checkpoint with which one agent has finished and another starts. The end of a run is
 * committed together with everything that is queued here. So the work of an agent is on disk before the next agent starts and
 * before the client gets the result.
 */
export class PostgresSaver extends BaseCheckpointSaver<number> implements ThreadSaver {
  readonly #database: Database;
  readonly #queue: RunWriteQueue;
  readonly #writer: Writer | undefined;
  readonly #values: ValueRows;
  /** By namespace: the newest checkpoint that this saver has written, and its source. */
  readonly #newest = new Map<string, Newest>();
  /** The stored `deltas` of checkpoints that the run has read or written. */
  readonly #deltas = new Map<string, string | null>();
  #failure: { error: unknown } | undefined;

  constructor({ database, queue, writer }: SaverParts) {
    super();
    this.#database = database;
    this.#queue = queue;
    this.#writer = writer;
    this.#values = valueRows(database, writer !== undefined);
  }

  override getNextVersion(current: number | undefined): number {
    return nextVersion(current);
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_id } = placeOf(config);
    if (thread === undefined) return undefined;
    await this.#settled(thread);
    const ns = namespaceOf(config);
    const id = checkpoint_id || undefined;
    const [row] = await selected(this.#database, { thread, ns, id, limit: 1 });
    return row && this.#tuple(row);
  }

  override async getDeltaChannelHistory({
    config,
    channels,
  }: Parameters<BaseCheckpointSaver['getDeltaChannelHistory']>[0]): Promise<
    Record<string, DeltaChannelHistory>
  > {
    const { thread_id: thread = '', checkpoint_id } = placeOf(config);
    await this.#settled(thread);
    const ns = namespaceOf(config);
    const id = checkpoint_id || (await selected(this.#database, { thread, ns, limit: 1 }))[0]?.id || '';
    return historiesAt(this.#database, { thread, ns, id }, channels);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = placeOf(config);
    if (thread !== undefined) await this.#settled(thread);
    const filter = Object.entries(options.filter ?? {});
    let before: string | undefined = options.before?.configurable?.checkpoint_id;
    let remaining = options.limit ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const rows = await selected(this.#database, { thread, ns, id, before, limit: PAGE });
      for (const row of rows) {
        if (remaining <= 0) return;
        const metadata = decode(row.metadata) as Record<string, unknown>;
        if (!filter.every(([key, value]) => metadata[key] === value)) continue;
        remaining--;
        yield this.#tuple(row);
      }
      // Ids are unique within a thread, and ordered by time across threads.
      before = rows.at(-1)?.id;
      if (rows.length < PAGE) return;
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const thread = threadOf(config);
    const ns = namespaceOf(config);
    const { id, channel_values, channel_versions } = checkpoint;
    const parent = config.configurable?.checkpoint_id ?? null;
    const agentFinished = metadata.source === 'loop' && this.#newest.get(ns)?.source !== 'input';
    const deltas = await this.#deltasOf(thread, ns, parent, { metadata, values: channel_values });
    this.#remember(ns, id, deltas);
    const row = {
      ...{ ns, id, parent, deltas, run_id: config.configurable?.run_id ?? null },
      versions: JSON.stringify(channel_versions),
      body: bodyOf(checkpoint),
      metadata: encode(metadata),
    };
    const rows = await this.#values.rowsOf(thread, ns, channel_values, newVersions);
    const written = this.#add(thread, { checkpoints: [row], ...rows }, agentFinished);
    if (this.#writer) this.#newest.set(ns, { id, source: metadata.source });
    // Emitted after the write is queued, so that a reader of the entry can read the checkpoint.
    this.#writer?.emit(entryOf(ns, parent, checkpoint, metadata));
    if (!this.#writer || (agentFinished && startsAnother(channel_values))) await written;
    return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } };
  }

  async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const thread = threadOf(config);
    const ns = namespaceOf(config);
    const id = config.configurable?.checkpoint_id;
    if (id === undefined)
      throw new Error("Cannot store writes: 'checkpoint_id' is missing in config.configurable");
    const row = { ns, id, task: taskId, writes: writesText(writes), path: taskPath };
    const agentFinished = this.#newest.get(ns)?.source !== 'input';
    const written = this.#add(thread, { writes: [row] }, agentFinished);
    if (!this.#writer) await written;
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#settled(threadId);
    await this.#database.transaction(async (tx) => {
      for (const table of TABLES) await tx.run(`DELETE FROM skein.${table} WHERE thread = $1`, threadId);
    });
  }

  /** Throws if a checkpoint of the run could not be written, because the run must not succeed with a gap. */
  assertWritten(): void {
    if (this.#failure) throw this.#failure.error;
  }

  newestOf(): string | undefined {
    return this.#newest.get('')?.id;
  }

  /** Without a lease, the saver is used for all threads, so nothing is remembered. */
  #remember(ns: string, id: string, deltas: string | null): void {
    if (this.#writer) this.#deltas.set(`${ns}\n${id}`, deltas);
  }

  /** Queues rows. After a failure, all later writes of the run fail, so that no checkpoint has a gap below it. */
  #add(thread: string, rows: RunWrites, urgent: boolean): Promise<void> {
    this.assertWritten();
    const unit = { threadKey: thread, lease: this.#writer?.lease };
    const urgency = this.#writer ? (urgent ? 'durable' : 'soon') : 'now';
    const written = this.#queue.add(unit, rows, urgency);
    if (!this.#writer) return written;
    const tracked = written.catch((error: unknown) => {
      this.#failure ??= { error };
      throw error;
    });
    // Most writes are not awaited.
    tracked.catch(() => {});
    return tracked;
  }

  async #deltasOf(
    thread: string,
    ns: string,
    parent: string | null,
    checkpoint: { metadata: CheckpointMetadata; values: Record<string, unknown> },
  ): Promise<string | null> {
    const inherited = async () => {
      if (parent === null) return null;
      const known = this.#deltas.get(`${ns}\n${parent}`);
      if (known !== undefined) return known;
      const row = await this.#database.get<{ deltas: string | null }>(
        'SELECT deltas FROM skein.checkpoints WHERE thread = $1 AND ns = $2 AND id = $3',
        ...[thread, ns, parent],
      );
      return row?.deltas ?? null;
    };
    return deltaChannelsOf(checkpoint, await inherited());
  }

  /** Waits for queued writes, so that a following read sees them. */
  async #settled(thread: string): Promise<void> {
    const settled = this.#queue.settled({ threadKey: thread, lease: this.#writer?.lease });
    // The next write and the end of the run throw the failure.
    await settled.catch(() => {});
  }

  async #tuple(stored: StoredRow): Promise<CheckpointTuple> {
    const { row, values, lists, writes } = await complete(this.#database, stored);
    this.#values.remember(row.thread, row.ns, lists);
    this.#remember(row.ns, row.id, row.deltas);
    const tuple = tupleOf(row, values, writes);
    if (row.parent !== null && hasParentSends(tuple))
      addParentSends(tuple, await this.#writesOf(row.thread, row.ns, row.parent));
    return tuple;
  }

  #writesOf(thread: string, ns: string, id: string): Promise<TaskWritesRow[]> {
    return this.#database.all<TaskWritesRow>(
      `SELECT task, writes FROM skein.checkpoint_writes WHERE thread = $1 AND ns = $2 AND id = $3
       ORDER BY path, task`,
      ...[thread, ns, id],
    );
  }
}

const TABLES = [
  'checkpoints',
  'checkpoint_values',
  'checkpoint_writes',
  'checkpoint_elements',
  'checkpoint_deltas',
];

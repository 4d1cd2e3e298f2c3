/** The checkpoint saver on SQLite: LangGraph's interface, plus run ids and leases. */
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
import { encode } from '../../checkpoints/serializer.ts';
import {
  bodyOf,
  entryOf,
  namespaceOf,
  nextVersion,
  startsAnother,
  threadOf,
  type Writer,
  writesText,
} from '../../driver/checkpoints/tuples.ts';
import type { CheckpointKey } from '../../threads/archive.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { type ChannelValues, channelValues } from './channel-values.ts';
import { type DeltaHistories, deltaHistories } from './delta-history.ts';
import { type QueuedWrites, queuedWrites } from './queued-writes.ts';
import { type CheckpointReader, checkpointReader } from './read.ts';
import type { CheckpointStatements } from './statements.ts';

interface Newest {
  id: string;
  source: CheckpointMetadata['source'];
}

/**
 * Stores each channel's value once per version, so a step only writes what it changed. `put` and `putWrites` return when the
 * write is queued, except for a checkpoint with which one agent has finished and another starts (see `put`). The end of a run
 * is committed after everything that is queued here. So the work of an agent is on disk before the next agent starts and before
 * the client gets the result, with one transaction per agent.
 *
 * In addition to `thread_id`, `checkpoint_ns` and `checkpoint_id`, `configurable` may have `run_id`, which is stored.
 */
export class SqliteSaver extends BaseCheckpointSaver<number> {
  readonly #commit: GroupCommit;
  readonly #writer: Writer | undefined;
  readonly #sql: CheckpointStatements;
  readonly #values: ChannelValues;
  readonly #deltas: DeltaHistories;
  readonly #reader: CheckpointReader;
  readonly #queued: QueuedWrites;
  /** By thread and namespace: the newest checkpoint that this saver has written, and its source. */
  readonly #newest = new Map<string, Map<string, Newest>>();

  /** `writer`: the writing run. Without one, writes don't require a lease. */
  constructor(sql: CheckpointStatements, commit: GroupCommit, writer?: Writer) {
    super();
    this.#writer = writer;
    this.#commit = commit;
    this.#sql = sql;
    this.#values = channelValues(sql.values);
    this.#deltas = deltaHistories(sql.deltas, this.#values);
    this.#reader = checkpointReader({
      sql,
      values: this.#values,
      flush: (ownThread) => {
        if (ownThread === undefined || this.#queued.hasPending(ownThread)) commit.flush();
      },
    });
    this.#queued = queuedWrites({
      commit,
      lease: writer?.lease,
      holds: sql.holds,
      releaseValues: (thread) => this.#values.release(thread),
      releaseThread: (thread) => this.release(thread),
    });
  }

  override getNextVersion(current: number | undefined): number {
    return nextVersion(current);
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const row = this.#reader.rowAt(config);
    return row ? this.#reader.tuple(row, config.configurable?.run_id !== undefined) : undefined;
  }

  /** Unlike the base class, doesn't read every checkpoint in between, and works across deleted checkpoints. */
  override async getDeltaChannelHistory({
    config,
    channels,
  }: Parameters<BaseCheckpointSaver['getDeltaChannelHistory']>[0]): Promise<
    Record<string, DeltaChannelHistory>
  > {
    const row = this.#reader.rowAt(config);
    return this.#deltas.read(row?.thread ?? '', row?.ns ?? '', row?.id ?? '', channels);
  }

  list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    return this.#reader.list(config, options);
  }

  /**
   * Waits for the disk only if an agent has finished and another one starts. Before the first agent, everything can be created
   * again from the run's row; after the last one, the end of the run commits it.
   */
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
    const runId = config.configurable?.run_id ?? null;
    const body = bodyOf(checkpoint);
    const versions = JSON.stringify(channel_versions);
    const meta = encode(metadata);
    const writeValues = this.#values.writing(thread, ns, channel_values, newVersions);
    const agentFinished = metadata.source === 'loop' && this.#sourceOf(thread, ns) !== 'input';
    const written = this.#queued.add(thread, agentFinished, () => {
      const deltas = this.#deltas.channelsOf({ thread, ns, parent, metadata, values: channel_values });
      this.#sql.insert.run(thread, ns, id, parent, runId, versions, body, meta, deltas);
      writeValues();
    });
    this.#remember(thread, ns, { id, source: metadata.source });
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
    const text = writesText(writes);
    const agentFinished = this.#sourceOf(thread, ns) !== 'input';
    const written = this.#queued.add(thread, agentFinished, () =>
      this.#sql.addWrites({ thread, ns, id, task: taskId, path: taskPath }, text),
    );
    if (!this.#writer) await written;
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#commit.write(threadId, () => this.#sql.deleteThread(threadId));
    this.release(threadId);
  }

  /** Deletes checkpoints of a thread and the values that only they use. Must be called inside a transaction. */
  prune(thread: string, ids: string[]): void {
    if (ids.length === 0) return;
    this.#sql.prune(thread, ids);
    this.#deltas.prune(thread);
    this.#values.prune(thread);
  }

  /** Like `prune`, if newer checkpoints of the thread are kept, but leaves the values to `pruneValues`. */
  pruneHistory(thread: string, ids: string[]): void {
    this.#deltas.keep(thread, ids);
    this.#sql.prune(thread, ids);
    this.#deltas.prune(thread);
  }

  /**
   * Deletes at most `limit` values that no checkpoint uses, and returns whether there may be more. Must be called inside a
   * transaction.
   */
  pruneValues(thread: string, limit: number): boolean {
    return this.#values.prune(thread, limit);
  }

  /**
   * Deletes the task writes of a successful turn, except those from which delta channels are rebuilt. Must be called inside a
   * transaction.
   */
  settle(thread: string): void {
    this.#deltas.settle(thread);
  }

  /**
   * Copies the steps of delta channels that a copied checkpoint needs to its new thread. Must be called inside a transaction.
   */
  copySteps(from: string, checkpoint: CheckpointKey, to: string): void {
    this.#deltas.copy(from, checkpoint, to);
  }

  /** Throws if a checkpoint of the run could not be written, because the run must not succeed with a gap. */
  assertWritten(thread: string): void {
    const failure = this.#queued.failureOf(thread);
    if (failure !== undefined) throw failure;
  }

  /** The root graph's newest checkpoint that this saver has written; otherwise undefined. */
  newestOf(thread: string): string | undefined {
    return this.#newest.get(thread)?.get('')?.id;
  }

  /** Frees the memory for the thread. */
  release(thread: string): void {
    this.#newest.delete(thread);
    this.#values.release(thread);
    this.#queued.release(thread);
  }

  #sourceOf(thread: string, ns: string): Newest['source'] | undefined {
    return this.#newest.get(thread)?.get(ns)?.source;
  }

  #remember(thread: string, ns: string, newest: Newest): void {
    const known = this.#newest.get(thread) ?? new Map<string, Newest>();
    this.#newest.set(thread, known.set(ns, newest));
  }
}

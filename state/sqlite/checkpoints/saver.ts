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
import { decode, encode } from '../../checkpoints/serializer.ts';
import { LeaseLost } from '../../cluster/lease.ts';
import { encodeValue } from '../../driver/checkpoints/list-elements.ts';
import { storable } from '../../driver/checkpoints/storable.ts';
import { mergeWrites } from '../../driver/checkpoints/task-writes.ts';
import {
  addParentSends,
  bodyOf,
  type CheckpointRow,
  entryOf,
  hasParentSends,
  namespaceOf,
  nextVersion,
  placeOf,
  startsAnother,
  threadOf,
  tupleOf,
  type Writer,
  writesText,
} from '../../driver/checkpoints/tuples.ts';
import type { CheckpointKey } from '../../threads/archive.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { channelValues } from './channel-values.ts';
import { deltaHistories } from './delta-history.ts';
import type { CheckpointStatements } from './statements.ts';

/** The state of a thread while it has writes that are not committed. */
interface Unsettled {
  /** The number of groups of writes that are not committed. */
  groups: number;
  /** The group to which writes can be added. */
  open?: Group | undefined;
  failure?: unknown;
}

/** Writes that are executed in order after one check of the run's lease. */
interface Group {
  works: (() => void)[];
  urgent: boolean;
  done: Promise<void>;
}

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
  readonly #values: ReturnType<typeof channelValues>;
  readonly #deltas: ReturnType<typeof deltaHistories>;
  readonly #unsettled = new Map<string, Unsettled>();
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
  }

  override getNextVersion(current: number | undefined): number {
    return nextVersion(current);
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const row = this.#rowAt(config);
    return row ? this.#tuple(row, config.configurable?.run_id !== undefined) : undefined;
  }

  /** Unlike the base class, doesn't read every checkpoint in between, and works across deleted checkpoints. */
  override async getDeltaChannelHistory({
    config,
    channels,
  }: Parameters<BaseCheckpointSaver['getDeltaChannelHistory']>[0]): Promise<
    Record<string, DeltaChannelHistory>
  > {
    const row = this.#rowAt(config);
    return this.#deltas.read(row?.thread ?? '', row?.ns ?? '', row?.id ?? '', channels);
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns, checkpoint_id } = placeOf(config);
    this.#commit.flush();
    const filter = Object.entries(options.filter ?? {});
    const before = options.before?.configurable?.checkpoint_id;
    let remaining = options.limit ?? Number.POSITIVE_INFINITY;
    for (const row of this.#sql.listed({ thread: thread_id, ns: checkpoint_ns, id: checkpoint_id, before })) {
      if (remaining <= 0) return;
      const metadata = decode(row.metadata) as Record<string, unknown>;
      if (!filter.every(([key, value]) => metadata[key] === value)) continue;
      remaining--;
      yield this.#tuple(row);
    }
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
    const values = Object.entries(newVersions).flatMap(([channel, version]) =>
      Object.hasOwn(channel_values, channel)
        ? [
            this.#values.writing(thread, ns, {
              channel,
              version,
              ...storable(channel, channel_values[channel], (value) => encodeValue(channel, value)),
            }),
          ]
        : [],
    );
    const agentFinished = metadata.source === 'loop' && this.#sourceOf(thread, ns) !== 'input';
    const written = this.#track(thread, agentFinished, () => {
      const deltas = this.#deltas.channelsOf({ thread, ns, parent, metadata, values: channel_values });
      this.#sql.insert.run(thread, ns, id, parent, runId, versions, body, meta, deltas);
      for (const write of values) write();
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
    const written = this.#track(thread, agentFinished, () => {
      const { changes } = this.#sql.insertWrites.run(thread, ns, id, taskId, text, taskPath);
      if (changes > 0) return;
      const row = this.#sql.writesOf.get(thread, ns, id, taskId);
      const merged = mergeWrites(row ? JSON.parse(row.writes) : [], JSON.parse(text));
      this.#sql.updateWrites.run(JSON.stringify(merged), thread, ns, id, taskId);
    });
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
    const failure = this.#unsettled.get(thread)?.failure;
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
    this.#unsettled.delete(thread);
  }

  /** Queues `work`. After a failure, all later writes of the run fail, so that no checkpoint has a gap below it. */
  #track(thread: string, urgent: boolean, work: () => void): Promise<void> {
    const state = this.#unsettled.get(thread) ?? { groups: 0 };
    if (state.failure !== undefined) throw state.failure;
    this.#unsettled.set(thread, state);
    const { open } = state;
    if (!open || (urgent && !open.urgent)) return this.#queue(thread, state, { urgent, works: [work] });
    open.works.push(work);
    return open.done;
  }

  #queue(thread: string, state: Unsettled, group: Omit<Group, 'done'>): Promise<void> {
    const lease = this.#writer?.lease;
    const write = () => {
      state.open = undefined;
      // Returns false instead of throwing, so that other work in the same transaction is not rolled back.
      if (lease && !this.#sql.holds.get(lease.runId, lease.number)) return false;
      for (const work of group.works) work();
      if (!lease) this.#values.release(thread);
      return true;
    };
    const unit = lease?.runId ?? thread;
    // The caller waits for a change outside of a run, so it is not deferred.
    const later = lease ? 'defer' : 'commit';
    const written = this.#commit[group.urgent ? 'write' : later](unit, write);
    state.groups++;
    const done = written.then(
      (kept) => {
        state.groups--;
        if (!lease && state.groups === 0) this.release(thread);
        if (kept || !lease) return;
        state.failure = new LeaseLost(lease);
        throw state.failure;
      },
      (error) => {
        state.groups--;
        if (lease) state.failure = error;
        else if (state.groups === 0) this.release(thread);
        this.#values.release(thread);
        throw error;
      },
    );
    // Most writes are not awaited: the next write and the end of the run throw their failure.
    done.catch(() => {});
    state.open = { ...group, done };
    return done;
  }

  #rowAt(config: RunnableConfig): CheckpointRow | undefined {
    const thread = config.configurable?.thread_id;
    if (thread === undefined) return undefined;
    const ns = namespaceOf(config);
    const id = config.configurable?.checkpoint_id;
    // A run only needs to flush its own queued writes; a reader must see the writes of all runs.
    const isReader = config.configurable?.run_id === undefined;
    if (isReader || this.#unsettled.get(thread)?.groups) this.#commit.flush();
    return (id ? this.#sql.one.get(thread, ns, id) : this.#sql.newest.get(thread, ns)) ?? undefined;
  }

  #sourceOf(thread: string, ns: string): Newest['source'] | undefined {
    return this.#newest.get(thread)?.get(ns)?.source;
  }

  #remember(thread: string, ns: string, newest: Newest): void {
    const known = this.#newest.get(thread) ?? new Map<string, Newest>();
    this.#newest.set(thread, known.set(ns, newest));
  }

  #tuple(row: CheckpointRow, isForRun = false): CheckpointTuple {
    const versions = JSON.parse(row.versions) as ChannelVersions;
    const values = this.#values[isForRun ? 'readForRun' : 'read'](row.thread, row.ns, versions);
    const tuple = tupleOf(row, values, this.#sql.allWritesOf.all(row.thread, row.ns, row.id));
    if (row.parent !== null && hasParentSends(tuple))
      addParentSends(tuple, this.#sql.allWritesOf.all(row.thread, row.ns, row.parent));
    return tuple;
  }
}

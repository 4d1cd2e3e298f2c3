/** The checkpoint saver on SQLite: what LangGraph asks of one, plus run ids. */
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
import type { CheckpointKey } from '../../archive.ts';
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
  startsAnother,
  threadOf,
  tupleOf,
  type Writer,
  writesText,
} from '../../driver/checkpoints/tuples.ts';
import { LeaseLost } from '../../lease.ts';
import { decode, encode } from '../../serializer.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { channelValues } from './channel-values.ts';
import { deltaHistories } from './delta-history.ts';
import type { CheckpointStatements } from './statements.ts';

/** What is known of a thread while it has writes that are not on disk yet. */
interface Unsettled {
  /** Groups of writes that are not committed. */
  groups: number;
  /** The one that takes more. */
  open?: Group | undefined;
  failure?: unknown;
}

/** Writes that go to the database one after another, under one look at the run's lease. */
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
 * Stores each channel's value once per version, so a step costs what it changed. `put` and `putWrites` return when the
 * write is queued, in order; a checkpoint that lets another agent start after one has finished is waited for (see
 * `put`), and whoever ends a run commits after everything queued here. Together: what an agent has finished is on disk
 * before the next agent starts and before the caller hears of it, at one transaction per agent.
 *
 * Beside `thread_id`, `checkpoint_ns` and `checkpoint_id`, `configurable` may have `run_id`, which is kept with the row.
 */
export class SqliteSaver extends BaseCheckpointSaver<number> {
  readonly #commit: GroupCommit;
  readonly #writer: Writer | undefined;
  readonly #sql: CheckpointStatements;
  readonly #values: ReturnType<typeof channelValues>;
  readonly #deltas: ReturnType<typeof deltaHistories>;
  readonly #unsettled = new Map<string, Unsettled>();
  /** Per thread and namespace that a run is writing to: its newest checkpoint, and what made it. */
  readonly #newest = new Map<string, Map<string, Newest>>();

  /** `writer`: the run that writes; without one anybody may. */
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

  /** Without reading each checkpoint on the way, and over those that were pruned. */
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
    const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
    this.#commit.flush();
    const filter = Object.entries(options.filter ?? {});
    const before = options.before?.configurable?.checkpoint_id;
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    for (const row of this.#sql.listed({ thread: thread_id, ns: checkpoint_ns, id: checkpoint_id, before })) {
      if (left <= 0) return;
      const metadata = decode(row.metadata) as Record<string, unknown>;
      if (!filter.every(([key, value]) => metadata[key] === value)) continue;
      left--;
      yield this.#tuple(row);
    }
  }

  /**
   * Waits for the disk only where an agent has finished and another is to start. Before the first agent nothing has
   * happened that could not be made again from the run's row; after the last one the run's end is committed with it.
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
    // After the write is queued: what the entry leads to can be read as soon as the entry can.
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
    if (id === undefined) throw new Error("Cannot store writes: config.configurable has no 'checkpoint_id'");
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

  /** Inside a transaction: deletes the named checkpoints of a thread, and what only they held. */
  prune(thread: string, ids: string[]): void {
    if (ids.length === 0) return;
    this.#sql.prune(thread, ids);
    this.#deltas.prune(thread);
    this.#values.prune(thread);
  }

  /** The same for checkpoints of a thread whose newer ones stay. */
  pruneHistory(thread: string, ids: string[]): void {
    this.#deltas.keep(thread, ids);
    this.prune(thread, ids);
  }

  /** Inside a transaction: a turn has ended well. Its task writes go, but for those that values are rebuilt from. */
  settle(thread: string): void {
    this.#deltas.settle(thread);
  }

  /** Inside a transaction: what a copy of a checkpoint needs beside its own values, in another thread. */
  copySteps(from: string, place: CheckpointKey, to: string): void {
    this.#deltas.copy(from, place, to);
  }

  /** Throws where a checkpoint of the running turn could not be written: the turn must not succeed over the hole. */
  assertWritten(thread: string): void {
    const failure = this.#unsettled.get(thread)?.failure;
    if (failure !== undefined) throw failure;
  }

  /** The root graph's newest checkpoint of the running turn; undefined where it has made none in this process. */
  newestOf(thread: string): string | undefined {
    return this.#newest.get(thread)?.get('')?.id;
  }

  /** Forgets what was kept in memory for the run that has ended on this thread. */
  release(thread: string): void {
    this.#newest.delete(thread);
    this.#values.release(thread);
    this.#unsettled.delete(thread);
  }

  /** Queues `work`; a failure stops every later write of the run, so that no checkpoint has a hole below it. */
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
      // A refused group fails by itself: what shares its transaction is not harmed.
      if (lease && !this.#sql.holds.get(lease.runId, lease.number)) return false;
      for (const work of group.works) work();
      if (!lease) this.#values.release(thread);
      return true;
    };
    const unit = lease?.runId ?? thread;
    // A change from outside of a run is waited for.
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
    // Most writes are not waited for: their failure is thrown by the next one, and by the run's end.
    done.catch(() => {});
    state.open = { ...group, done };
    return done;
  }

  #rowAt(config: RunnableConfig): CheckpointRow | undefined {
    const thread = config.configurable?.thread_id;
    if (thread === undefined) return undefined;
    const ns = namespaceOf(config);
    const id = config.configurable?.checkpoint_id;
    // A run knows what it has written; a reader sees what all have.
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

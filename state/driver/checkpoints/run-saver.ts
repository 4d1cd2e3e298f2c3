/** The checkpointer of one run. It adds the thread's key, the head and the run, which the graph does not see. */
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
import type { RunSaver, SavedRun } from '../../checkpoints/checkpoints.ts';
import { gatherHistories } from './delta-channels.ts';
import { namespaceOf, placeOf } from './tuples.ts';

/** A driver's saver, whose `thread_id` is the thread's key. */
export interface ThreadSaver extends BaseCheckpointSaver<number> {
  /** The root graph's newest checkpoint that this saver has written; otherwise undefined. */
  newestOf(thread: string): string | undefined;
  /** Throws if a checkpoint of the run could not be written. */
  assertWritten(thread: string): void;
}

/** `saver` must be used by this run only, because it remembers the newest checkpoint. */
export class LeasedSaver extends BaseCheckpointSaver<number> implements RunSaver {
  readonly #saver: ThreadSaver;
  readonly #run: SavedRun;

  constructor(saver: ThreadSaver, run: SavedRun) {
    super();
    this.#saver = saver;
    this.#run = run;
  }

  override getNextVersion(current: number | undefined): number {
    return this.#saver.getNextVersion(current);
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { ns, id } = this.#read(config);
    if (id === null) return undefined;
    const tuple = await this.#saver.getTuple(this.#stored(ns, id));
    return tuple && this.#shown(tuple);
  }

  override async getDeltaChannelHistory({
    config,
    channels,
  }: Parameters<BaseCheckpointSaver['getDeltaChannelHistory']>[0]): Promise<
    Record<string, DeltaChannelHistory>
  > {
    const { ns, id } = this.#read(config);
    if (id === null) return gatherHistories(channels).done();
    return this.#saver.getDeltaChannelHistory({ config: this.#stored(ns, id), channels });
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { checkpoint_ns, checkpoint_id } = placeOf(config);
    for await (const tuple of this.#saver.list(this.#stored(checkpoint_ns, checkpoint_id), options))
      yield this.#shown(tuple);
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { checkpoint_ns, checkpoint_id } = placeOf(config);
    const all = { ...this.#run.metadata, ...metadata };
    await this.#saver.put(this.#stored(checkpoint_ns, checkpoint_id), checkpoint, all, newVersions);
    return this.#public(checkpoint_ns, checkpoint.id);
  }

  async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    const { checkpoint_ns, checkpoint_id } = placeOf(config);
    return this.#saver.putWrites(this.#stored(checkpoint_ns, checkpoint_id), writes, taskId, taskPath);
  }

  deleteThread(): Promise<void> {
    return Promise.reject(new Error('A graph cannot delete the thread on which it runs'));
  }

  newest(): string | undefined {
    return this.#saver.newestOf(this.#run.threadKey);
  }

  assertWritten(): void {
    this.#saver.assertWritten(this.#run.threadKey);
  }

  /** The place to read. Without an id, the root graph continues from its newest checkpoint; null: an empty state. */
  #read(config: RunnableConfig): { ns: string; id: string | null | undefined } {
    const ns = namespaceOf(config);
    const newest = ns === '' ? (this.newest() ?? this.#run.head) : undefined;
    return { ns, id: placeOf(config).checkpoint_id || newest };
  }

  #stored(checkpoint_ns: string | undefined, checkpoint_id: string | undefined): RunnableConfig {
    const {
      threadKey,
      lease: { runId },
    } = this.#run;
    return { configurable: { thread_id: threadKey, checkpoint_ns, checkpoint_id, run_id: runId } };
  }

  #public(checkpoint_ns = '', checkpoint_id?: string): RunnableConfig {
    return { configurable: { thread_id: this.#run.threadId, checkpoint_ns, checkpoint_id } };
  }

  #shownPlace(config: RunnableConfig): RunnableConfig {
    const { checkpoint_ns, checkpoint_id } = placeOf(config);
    return this.#public(checkpoint_ns, checkpoint_id);
  }

  #shown(tuple: CheckpointTuple): CheckpointTuple {
    const { config, parentConfig } = tuple;
    tuple.config = this.#shownPlace(config);
    if (parentConfig) tuple.parentConfig = this.#shownPlace(parentConfig);
    return tuple;
  }
}

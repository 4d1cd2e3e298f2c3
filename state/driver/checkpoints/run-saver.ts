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
import type { RunSaver, SavedRun } from '../../checkpoints.ts';

/** A driver's saver, whose `thread_id` is the thread's key. */
export interface ThreadSaver extends BaseCheckpointSaver<number> {
  /** The root graph's newest checkpoint that this saver has written; undefined if there is none. */
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
    const { checkpoint_ns = '', checkpoint_id } = config.configurable ?? {};
    const id = checkpoint_id || (checkpoint_ns === '' ? this.#newest() : undefined);
    if (id === null) return undefined;
    const tuple = await this.#saver.getTuple(this.#stored(checkpoint_ns, id));
    return tuple && this.#shown(tuple);
  }

  override async getDeltaChannelHistory({
    config,
    channels,
  }: Parameters<BaseCheckpointSaver['getDeltaChannelHistory']>[0]): Promise<
    Record<string, DeltaChannelHistory>
  > {
    const { checkpoint_ns = '', checkpoint_id } = config.configurable ?? {};
    const id = checkpoint_id || (checkpoint_ns === '' ? this.#newest() : undefined);
    if (id === null) return Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));
    return this.#saver.getDeltaChannelHistory({ config: this.#stored(checkpoint_ns, id), channels });
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { checkpoint_ns, checkpoint_id } = config.configurable ?? {};
    for await (const tuple of this.#saver.list(this.#stored(checkpoint_ns, checkpoint_id), options))
      yield this.#shown(tuple);
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { checkpoint_ns, checkpoint_id } = config.configurable ?? {};
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
    const { checkpoint_ns, checkpoint_id } = config.configurable ?? {};
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

  /** The checkpoint from which the root graph continues; null: an empty state. */
  #newest(): string | null {
    return this.newest() ?? this.#run.head;
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

  #shown(tuple: CheckpointTuple): CheckpointTuple {
    const { config, parentConfig } = tuple;
    tuple.config = this.#public(config.configurable?.checkpoint_ns, config.configurable?.checkpoint_id);
    if (parentConfig) {
      const { checkpoint_ns, checkpoint_id } = parentConfig.configurable ?? {};
      tuple.parentConfig = this.#public(checkpoint_ns, checkpoint_id);
    }
    return tuple;
  }
}

/** Operations on stored threads and runs that are not part of a turn: listing, forking, deletion and size. */
import type { Output } from './conversation.ts';
import type { Feedback } from './feedback.ts';
import type { Run, RunStatus } from './runs.ts';
import type { MemorySize, PruneStrategy, Thread, ThreadTtl } from './threads.ts';

export interface Archive {
  threads: ThreadArchive;
  /** Oldest first. */
  messages(key: string, page: PageRequest<[seq: number]> & MessageOrder): Promise<Page<StoredMessage>>;
  /**
   * Newest first. If no index supports the filter, a page scans at most `MAX_SCANNED_RUNS` runs, so any page except the last
   * may be short or empty.
   */
  runs(filter: RunFilter, page: PageRequest<[runId: string]>): Promise<Page<Run>>;
  checkpoints: CheckpointArchive;
  forks: Forks;
  removal: Removal;
  /** Measured at most once a minute. */
  size(): Promise<ArchiveSize>;
}

export interface ArchiveSize {
  /** Size of the database. */
  stateBytes: number;
  /** Size of its write-ahead log. */
  logBytes: number;
  threads: number;
  runs: number;
}

export interface MessageOrder {
  /** Default: oldest first. */
  newestFirst?: boolean | undefined;
}

export interface PageRequest<Position> {
  limit: number;
  /** The cursor of the previous page; undefined: from the start. */
  after?: Position | undefined;
}

export interface Page<Item> {
  items: Item[];
  /** The cursor of the next page; null at the end. */
  next: (string | number)[] | null;
}

type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

export interface StoredThread extends Thread {
  status: ThreadStatus;
  metadata: Record<string, unknown>;
  ttl: (ThreadTtl & { expiresAt: number }) | null;
  /** The thread from which it was forked; it may no longer exist. */
  parent: { threadId: string; checkpointId: string } | null;
}

export interface ThreadFilter {
  /** Null: of all owners. */
  owner: string | null;
  workflow?: string | undefined;
  status?: ThreadStatus | undefined;
  /** A substring of the title or the id, case-insensitive. */
  text?: string | undefined;
}

export interface ThreadConditions {
  owner: string;
  ids?: string[] | undefined;
  /** Fields that must be equal. */
  metadata?: Record<string, unknown> | undefined;
  /** The workflow of the last turn. */
  workflow?: string | undefined;
  status?: ThreadStatus | undefined;
}

export interface ThreadSearch extends ThreadConditions {
  sortBy: 'thread_id' | 'created_at' | 'updated_at' | 'status';
  descending: boolean;
  limit: number;
  offset: number;
}

export interface ThreadArchive {
  /** Creates a thread without a turn. False if the id exists. */
  create(
    owner: string,
    thread: {
      threadId: string;
      metadata: Record<string, unknown>;
      createdAt: number;
      ttl?: ThreadTtl | undefined;
    },
  ): Promise<boolean>;
  /** Creates a thread with the same checkpoints and messages. */
  copy(from: Pick<StoredThread, 'key'>, threadId: string, at: number): Promise<void>;
  search(search: ThreadSearch): Promise<StoredThread[]>;
  /** The number of threads that match, or `most` if there are more. */
  count(conditions: ThreadConditions, most?: number): Promise<number>;
  find(owner: string, threadId: string): Promise<StoredThread | undefined>;
  /** Latest activity first. */
  list(filter: ThreadFilter, page: PageRequest<[at: number, row: number]>): Promise<Page<StoredThread>>;
  /** Returns whether the thread exists. Does not change `updatedAt`; a new time to live starts now. */
  update(
    owner: string,
    threadId: string,
    change: {
      title?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
      ttl?: ThreadTtl | undefined;
    },
  ): Promise<boolean>;
}

export interface StoredMessage {
  messageId: string;
  role: 'user' | 'assistant';
  content: string;
  status: 'complete' | 'cancelled';
  runId: string;
  workflow: string;
  createdAt: number;
  tokenCount: number | null;
  outputs: Output[];
  feedback: Feedback | null;
}

export interface RunFilter {
  /** Null: of all owners. */
  owner: string | null;
  /** The key of a thread of the owner. */
  thread?: string | undefined;
  workflow?: string | undefined;
  status?: RunStatus | undefined;
  /** Range of `createdAt` in milliseconds since 1970: `from` is inclusive, `until` exclusive. */
  from?: number | undefined;
  until?: number | undefined;
  /** From start to end; excludes unfinished runs. */
  minDurationMs?: number | undefined;
  /** Input plus output tokens. */
  minTokens?: number | undefined;
  /** In the currency of the prices. */
  minCost?: number | undefined;
  errorCode?: string | undefined;
  /** A prompt file that an agent of the run rendered. Default: any revision and version. */
  prompt?: { filename: string; revision?: string | undefined; version?: number | undefined } | undefined;
  /** Feedback on the answer. */
  feedback?: 'positive' | 'negative' | undefined;
}

/** A checkpoint without its values. */
export interface StoredCheckpoint {
  checkpointId: string;
  /** LangGraph's namespace of the graph that created it; empty for the root graph. */
  namespace: string;
  parentId: string | null;
  step: number;
  source: string;
  /** The agents whose work it contains; empty for input. */
  agents: string[];
  /** The nodes that run next from this checkpoint. */
  next: string[];
  createdAt: string;
  runId: string | null;
}

export interface CheckpointArchive {
  /** The root graph's checkpoints, or with `runId` all checkpoints of a run, subgraphs included. Newest first. */
  list(key: string, page: PageRequest<[id: string]>, runId?: string): Promise<Page<StoredCheckpoint>>;
  /** Finds a checkpoint of the root graph, from which a turn can start. */
  find(key: string, checkpointId: string): Promise<StoredCheckpoint | undefined>;
  /** Finds a checkpoint of any graph. */
  findAny(key: string, checkpointId: string): Promise<StoredCheckpoint | undefined>;
}

/** Identifies a checkpoint within its thread. */
export type CheckpointKey = Pick<StoredCheckpoint, 'namespace' | 'checkpointId'>;

/** A thread that is being copied from another: invisible until `publish`. */
export interface Draft {
  key: string;
  messageCount: number;
  /** Its newest messages, newest first. */
  newest: DraftMessage[];
}

export type DraftMessage = Pick<StoredMessage, 'messageId' | 'role' | 'content' | 'status'> & {
  outputs: Output[] | null;
};

export interface NewFork {
  threadId: string;
  workflow: string;
  head: string;
  memory: MemorySize;
  createdAt: number;
  /** Messages of the draft to change. */
  changed: DraftMessage[];
  added: Pick<StoredMessage, 'messageId' | 'role' | 'content'>[];
}

export interface Forks {
  /**
   * Copies the checkpoint, its values and the messages of its turns under a new key. Undefined if the checkpoint does not
   * exist. `newest`: the number of messages in `Draft.newest`; null copies no messages. `inside`: checkpoints of subgraphs to copy, too.
   */
  draft(
    from: StoredThread,
    checkpoint: StoredCheckpoint,
    newest: number | null,
    inside?: CheckpointKey[],
  ): Promise<Draft | undefined>;
  /** Makes the draft a visible thread of the origin's owner. False if the origin has been deleted. */
  publish(from: StoredThread, draft: Draft, fork: NewFork): Promise<boolean>;
  /** Removes a draft that will not become a thread. */
  discard(draft: Draft): Promise<void>;
}

export interface ExpiredThread {
  owner: string;
  threadId: string;
  key: string;
  strategy: PruneStrategy;
  updatedAt: number;
}

/** Deletes data in small steps, so that no step blocks other work for long. */
export interface Removal {
  /** Hides the thread immediately, then deletes all of its data. Does nothing and returns false if it has an unfinished run. */
  thread(key: string): Promise<boolean>;
  /** Deletes the thread if it has no unfinished run and its last turn was before `time`; returns whether it did. */
  expire(key: string, time: number): Promise<boolean>;
  /**
   * Deletes the checkpoints that the thread does not need to continue from its newest state, including those of subgraphs.
   * Keeps the origins of forks. Does nothing and returns false if the thread has an unfinished run.
   */
  history(key: string): Promise<boolean>;
  /** Deletes an ended run and its log. Its effects on the thread remain. */
  run(runId: string): Promise<void>;
  /** Resolves when none of the store's files contains the deleted data any longer. */
  scrub(): Promise<void>;
  /** Completes interrupted deletions, removes what interrupted forks have left, and repeats an interrupted `scrub`. */
  leftovers(): Promise<void>;
  /** At most `limit` threads without an unfinished run whose last turn was before `time`, oldest first. */
  idleSince(time: number, limit: number): Promise<{ owner: string; threadId: string }[]>;
  /** Like `idleSince`, for threads that were created for one run. */
  temporary(time: number, limit: number): Promise<{ owner: string; threadId: string }[]>;
  /** The number of threads that `idleSince` finds, and of all threads. */
  countIdle(time: number): Promise<{ idle: number; threads: number }>;
  /** At most `limit` threads without an unfinished run whose time to live ended before `time`. */
  expired(time: number, limit: number): Promise<ExpiredThread[]>;
  /**
   * Deletes one slice of the events of runs that finished before `time`, and of older state changes in threads' logs.
   * Returns the `from` of the next slice; null at the end.
   */
  events(time: number, from: number): Promise<number | null>;
  /** Deletes one slice of the idempotency records from before `time`; returns whether more may exist. */
  idempotencyKeys(time: number): Promise<boolean>;
  /** Deletes one slice of the items that expired before `time`; returns whether more may exist. */
  items(time: number): Promise<boolean>;
}

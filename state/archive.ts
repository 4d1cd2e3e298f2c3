/** A store's operations beside turns, for readers and owners of threads: listing, forking, deletion and size. */
import type { Output } from './conversation.ts';
import type { Feedback } from './feedback.ts';
import type { Run, RunStatus } from './runs.ts';
import type { MemorySize, PruneStrategy, Thread, ThreadTtl } from './threads.ts';

export interface Archive {
  threads: ThreadArchive;
  /** Oldest first. */
  messages(key: string, page: PageRequest<[seq: number]> & MessageOrder): Promise<Page<StoredMessage>>;
  /**
   * Newest first. With a filter that no index helps, a page looks at `MOST_LOOKED_AT` runs: it may be short, or empty, and
   * not be the last.
   */
  runs(filter: RunFilter, page: PageRequest<[runId: string]>): Promise<Page<Run>>;
  checkpoints: CheckpointArchive;
  forks: Forks;
  removal: Removal;
  /** Bytes of the database and of its log, and the number of threads and runs, counted at most once a minute. */
  size(): Promise<ArchiveSize>;
}

export interface ArchiveSize {
  stateBytes: number;
  logBytes: number;
  threads: number;
  runs: number;
}

/** The start of the page: after the cursor of the page before. */
export interface MessageOrder {
  /** Instead of oldest first. */
  newestFirst?: boolean | undefined;
}

export interface PageRequest<Position> {
  limit: number;
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
  /** The thread it was forked from, which may no longer exist. */
  parent: { threadId: string; checkpointId: string } | null;
}

export interface ThreadFilter {
  /** Null: of all owners. */
  owner: string | null;
  workflow?: string | undefined;
  status?: ThreadStatus | undefined;
  /** In the title or the id, case-insensitive. */
  text?: string | undefined;
}

export interface ThreadSearch {
  owner: string;
  ids?: string[] | undefined;
  /** A subset: every field here must be equal. */
  metadata?: Record<string, unknown> | undefined;
  /** The workflow of its last turn. */
  workflow?: string | undefined;
  status?: ThreadStatus | undefined;
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
  /** A thread with the same checkpoints and messages. */
  copy(from: Pick<StoredThread, 'key'>, threadId: string, at: number): Promise<void>;
  /** `total`: the number of results without the page's limits. */
  search(search: ThreadSearch): Promise<{ items: StoredThread[]; total: number }>;
  find(owner: string, threadId: string): Promise<StoredThread | undefined>;
  /** Most recently active first. */
  list(filter: ThreadFilter, page: PageRequest<[at: number, row: number]>): Promise<Page<StoredThread>>;
  /** Returns whether it exists. `updatedAt` is unchanged; a new time to live starts now. */
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
  /** The key of a thread of this owner. */
  thread?: string | undefined;
  workflow?: string | undefined;
  status?: RunStatus | undefined;
  /** Milliseconds since 1970 of the run's acceptance: from, included, and until, excluded. */
  from?: number | undefined;
  until?: number | undefined;
  /** From start to end, so that runs that have not ended are left out. */
  minDurationMs?: number | undefined;
  /** Input and output together. */
  minTokens?: number | undefined;
  /** In the currency of the prices. */
  minCost?: number | undefined;
  errorCode?: string | undefined;
  /** A file that an agent of it rendered, of any revision and version where none is named. */
  prompt?: { filename: string; revision?: string | undefined; version?: number | undefined } | undefined;
  /** Of the answer. */
  feedback?: 'positive' | 'negative' | undefined;
}

/** A checkpoint without its values. */
export interface StoredCheckpoint {
  checkpointId: string;
  /** LangGraph's name of the graph that made it; empty for the root graph. */
  namespace: string;
  parentId: string | null;
  step: number;
  source: string;
  /** The agents whose work made it; empty for input from outside. */
  agents: string[];
  /** The nodes that would run from it. */
  next: string[];
  createdAt: string;
  runId: string | null;
}

export interface CheckpointArchive {
  /** The root graph's checkpoints, or all that a run has made, also within its agents. Newest first. */
  list(key: string, page: PageRequest<[id: string]>, runId?: string): Promise<Page<StoredCheckpoint>>;
  /** A checkpoint of the root graph, from which a turn can start. */
  find(key: string, checkpointId: string): Promise<StoredCheckpoint | undefined>;
  /** The same for any graph. */
  findAny(key: string, checkpointId: string): Promise<StoredCheckpoint | undefined>;
}

/** Where a checkpoint of a thread is. */
export type CheckpointKey = Pick<StoredCheckpoint, 'namespace' | 'checkpointId'>;

/** A thread that is being copied from another: invisible until `publish`. */
export interface Draft {
  key: string;
  messageCount: number;
  /** The newest of its messages, newest first. */
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
   * Copies the checkpoint, its values and the messages of its turns under a key of their own; undefined where the
   * checkpoint is not there. `newest`: how many of the messages the draft shows. `inside`: checkpoints of the graphs
   * inside, which are copied with it.
   */
  draft(
    from: StoredThread,
    checkpoint: StoredCheckpoint,
    newest: number,
    inside?: CheckpointKey[],
  ): Promise<Draft | undefined>;
  /** Shows the draft to the origin's owner as a new thread; false if the origin was deleted meanwhile. */
  publish(from: StoredThread, draft: Draft, fork: NewFork): Promise<boolean>;
  /** Removes a draft that will not become a thread. */
  discard(draft: Draft): Promise<void>;
}

/** Deletion in small steps, so that none blocks other work for long. */
export interface ExpiredThread {
  owner: string;
  threadId: string;
  key: string;
  strategy: PruneStrategy;
  updatedAt: number;
}

export interface Removal {
  /** Hides the thread at once, then deletes all of its data. */
  thread(key: string): Promise<void>;
  /** The same if the thread has no unfinished run and its last turn was before `time`; returns whether it applied. */
  expire(key: string, time: number): Promise<boolean>;
  /**
   * Deletes the checkpoints that a thread does not need to go on from its newest state, those of subgraphs included, unless
   * a run of it has not ended; gives whether it did. What forks name as their origin stays.
   */
  history(key: string): Promise<boolean>;
  /** Deletes an ended run with its log; its effects on the thread stay. */
  run(runId: string): Promise<void>;
  /** Resolves when the deleted data is no longer in any of the store's files. */
  scrub(): Promise<void>;
  /** Deletes what an interrupted deletion or fork left, and repeats an interrupted `scrub`. */
  leftovers(): Promise<void>;
  /** Threads without an unfinished run whose last turn was before `time`, oldest first, at most `limit`. */
  idleSince(time: number, limit: number): Promise<{ owner: string; threadId: string }[]>;
  /** The same for threads that were made for one run. */
  temporary(time: number, limit: number): Promise<{ owner: string; threadId: string }[]>;
  /** How many threads `idleSince` would find, and how many exist. */
  countIdle(time: number): Promise<{ idle: number; threads: number }>;
  /** Threads whose time to live ended before `time` and that have no unfinished run, at most `limit`. */
  expired(time: number, limit: number): Promise<ExpiredThread[]>;
  /**
   * Deletes events of runs that finished before `time`, and what threads' logs have of changes before it, one slice; gives
   * the place to go on from, null at the end.
   */
  events(time: number, from: number): Promise<number | null>;
  /** Deletes idempotency records from before `time`, one slice; returns whether more may exist. */
  idempotencyKeys(time: number): Promise<boolean>;
  /** Deletes items that expired before `time`, one slice; returns whether more may exist. */
  items(time: number): Promise<boolean>;
}

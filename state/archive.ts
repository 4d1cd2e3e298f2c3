/** What readers and owners of threads ask of a store beside turns: lists, forks, deletion and its size. */
import type { Output } from './conversation.ts';
import type { Run, RunStatus } from './runs.ts';
import type { Feedback } from './state.ts';
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
  /** Bytes of the database and of its log, and how many threads and runs there are, counted once a minute at most. */
  size(): Promise<ArchiveSize>;
}

export interface ArchiveSize {
  stateBytes: number;
  logBytes: number;
  threads: number;
  runs: number;
}

/** Where a page begins: after the position that the page before it gave. */
export interface MessageOrder {
  /** In place of oldest first. */
  newestFirst?: boolean | undefined;
}

export interface PageRequest<Position> {
  limit: number;
  after?: Position | undefined;
}

export interface Page<Item> {
  items: Item[];
  /** Where the next page begins; null at the end. */
  next: (string | number)[] | null;
}

export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';

export interface StoredThread extends Thread {
  status: ThreadStatus;
  metadata: Record<string, unknown>;
  ttl: (ThreadTtl & { expiresAt: number }) | null;
  /** Where it was forked from; the thread may be gone. */
  parent: { threadId: string; checkpointId: string } | null;
}

export interface ThreadFilter {
  /** Null: everybody's. */
  owner: string | null;
  workflow?: string | undefined;
  status?: ThreadStatus | undefined;
  /** In the title or the id, in any case. */
  text?: string | undefined;
}

export interface ThreadSearch {
  owner: string;
  ids?: string[] | undefined;
  /** Every field as it is here, at least. */
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
  /** A thread without a turn. False where there is one of that id. */
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
  /** `total`: how many there are without the page's limits. */
  search(search: ThreadSearch): Promise<{ items: StoredThread[]; total: number }>;
  find(owner: string, threadId: string): Promise<StoredThread | undefined>;
  /** Most recently active first. */
  list(filter: ThreadFilter, page: PageRequest<[at: number, row: number]>): Promise<Page<StoredThread>>;
  /** Gives whether there was one. `updatedAt` stays; a new time to live begins now. */
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
  /** Null: everybody's. */
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
  /** LangGraph's name of the graph that made it: empty for the root graph. */
  namespace: string;
  parentId: string | null;
  step: number;
  source: string;
  /** The agents whose work made it; empty for what came from outside. */
  agents: string[];
  /** The nodes that would run from it. */
  next: string[];
  createdAt: string;
  runId: string | null;
}

export interface CheckpointArchive {
  /** Those of the root graph, or all that a run has made, within its agents too. Newest first. */
  list(key: string, page: PageRequest<[id: string]>, runId?: string): Promise<Page<StoredCheckpoint>>;
  /** One of the root graph, from which a turn can start. */
  find(key: string, checkpointId: string): Promise<StoredCheckpoint | undefined>;
  /** The same of any graph. */
  findAny(key: string, checkpointId: string): Promise<StoredCheckpoint | undefined>;
}

/** A thread that is being made of another: nobody sees it before `publish`. */
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
  /** Messages of the draft that change. */
  changed: DraftMessage[];
  added: Pick<StoredMessage, 'messageId' | 'role' | 'content'>[];
}

export interface Forks {
  /**
   * Copies the checkpoint, its values and the messages of its turns under a key of their own; undefined where the
   * checkpoint is not there. `newest`: how many of the messages the draft shows.
   */
  draft(from: StoredThread, checkpoint: StoredCheckpoint, newest: number): Promise<Draft | undefined>;
  /** Shows the draft to the origin's owner as a new thread; false where the origin was deleted meanwhile. */
  publish(from: StoredThread, draft: Draft, fork: NewFork): Promise<boolean>;
  /** Removes what will not become a thread. */
  discard(draft: Draft): Promise<void>;
}

/** Deletion in steps that each hold up nothing else. */
export interface ExpiredThread {
  owner: string;
  threadId: string;
  key: string;
  strategy: PruneStrategy;
  updatedAt: number;
}

export interface Removal {
  /** Hides the thread from everybody at once, then deletes all that is of it. */
  thread(key: string): Promise<void>;
  /** The same for a thread without an unfinished run whose last turn was before `time`; gives whether it is one. */
  expire(key: string, time: number): Promise<boolean>;
  /**
   * Deletes the checkpoints that a thread does not need to go on from its newest state, those of subgraphs included, unless
   * a run of it has not ended; gives whether it did. What forks name as their origin stays.
   */
  history(key: string): Promise<boolean>;
  /** A run that has ended, with its log; what it left on its thread stays. */
  run(runId: string): Promise<void>;
  /** Resolves when what was deleted is in none of the store's files any more. */
  scrub(): Promise<void>;
  /** Deletes what a process left that ended while it deleted or forked, and does a `scrub` that was given up. */
  leftovers(): Promise<void>;
  /** Threads without an unfinished run whose last turn was before `time`, oldest first, at most `limit`. */
  idleSince(time: number, limit: number): Promise<{ owner: string; threadId: string }[]>;
  /** The same of the threads that were made for one run. */
  temporary(time: number, limit: number): Promise<{ owner: string; threadId: string }[]>;
  /** How many threads `idleSince` would find, and how many there are. */
  countIdle(time: number): Promise<{ idle: number; threads: number }>;
  /** Threads whose time to live was over before `time` and that have no unfinished run, at most `limit`. */
  expired(time: number, limit: number): Promise<ExpiredThread[]>;
  /**
   * Deletes events of runs that finished before `time`, and what threads' logs have of changes before it, one slice; gives
   * the place to go on from, null at the end.
   */
  events(time: number, from: number): Promise<number | null>;
  /** Deletes idempotency records from before `time`, one slice; gives whether there may be more. */
  idempotencyKeys(time: number): Promise<boolean>;
  /** Deletes items that expired before `time`, one slice; gives whether there may be more. */
  items(time: number): Promise<boolean>;
}

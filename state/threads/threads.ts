/** Threads: conversations, each with the checkpoint from which the next turn starts. */
import type { Lease } from '../cluster/lease.ts';

/** A conversation. Times are milliseconds since 1970. */
export interface Thread {
  /** The internal id, unique across owners; the checkpointer's `thread_id`. */
  key: string;
  owner: string;
  threadId: string;
  title: string;
  workflow: string;
  /** The checkpoint from which the next turn starts; null before the first successful turn. */
  head: string | null;
  interrupt: PendingInterrupt | null;
  memory: MemorySize;
  messageCount: number;
  /** All its checkpoints are kept, because it had a run or an update over LangGraph's protocol, or a stored response. */
  keepsAll: boolean;
  createdAt: number;
  updatedAt: number;
}

/**
 * Time to live: after `minutes` without activity, the thread is deleted, or only the checkpoints that it does not need to
 * continue from its newest state.
 */
export interface ThreadTtl {
  minutes: number;
  strategy: PruneStrategy;
}

export type PruneStrategy = 'delete' | 'keep_latest';

/** A node's question to a person. */
export interface Interrupt {
  interruptId: string;
  value: unknown;
  agent: string;
  /** The nodes of the enclosing subgraphs, outermost first; [] at the root. */
  path: string[];
}

/** A node before or after which a graph has stopped on request. */
export interface Stop {
  agent: string;
  when: 'before' | 'after';
  path: string[];
}

/** A turn that waits for a person's answers, or to be continued after a stop. */
export interface PendingInterrupt {
  interrupts: Interrupt[];
  stoppedAt: Stop[];
  runId: string;
  /** A run with an answer failed, and its writes are still stored. Call `rewindInterrupt` before the next answer. */
  failedAnswer?: true;
  /** The head before the turn and its memory size, restored when the interrupt is dropped. */
  headBefore: string | null;
  memoryBefore: MemorySize;
}

/** The size of the head's message window, so that a turn knows without reading it whether to summarize messages. */
export interface MemorySize {
  messages: number;
  tokens: number;
  summary: string;
}

export interface MovedHead {
  /** The checkpoint from which the next run starts; undefined: unchanged. */
  head: string | undefined;
  /** The next nodes at the new head, if the graph has not ended. The thread waits to be continued from there. */
  stoppedAt: Stop[];
  workflow: string;
  at: number;
}

export interface Threads {
  byKey(key: string): Promise<Thread | undefined>;
  find(owner: string, threadId: string): Promise<Thread | undefined>;
  /**
   * Drops the pending interrupt, or only that of run `runId`: cancels its run and restores the head before it, unless
   * LangGraph's protocol has written to the thread since. Does nothing and returns false if a run that answers the interrupt
   * is unfinished. Throws LeaseLost if `by` is lost.
   */
  dropInterrupt(key: string, runId?: string, by?: Lease): Promise<boolean>;
  /**
   * Changes the thread outside of a run and writes an entry `state` to the thread's log. From then on, all checkpoints of the
   * thread are kept. If a run is unfinished, removes the checkpoint of the new head instead and returns false.
   */
  moveHead(key: string, to: MovedHead): Promise<boolean>;
  /**
   * Removes the writes that an aborted or failed answer to the pending interrupt has left at unfinished tasks, so that its
   * answer is not used for a later question. Throws LeaseLost if `by` is lost.
   */
  rewindInterrupt(key: string, by?: Lease): Promise<void>;
}

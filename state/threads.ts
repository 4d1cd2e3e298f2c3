/** Threads: conversations with the checkpoint from which their next turn starts. */
import type { Lease } from './lease.ts';

/** A conversation. Times are milliseconds since 1970. */
export interface Thread {
  /** The store's own name for it, unique over all owners; the checkpointer's `thread_id`. */
  key: string;
  owner: string;
  threadId: string;
  title: string;
  workflow: string;
  /** The checkpoint from which the next turn starts; null before the first turn that succeeded. */
  head: string | null;
  interrupt: PendingInterrupt | null;
  memory: MemorySize;
  messageCount: number;
  /** It had a run or an update of LangGraph's protocol, or a stored response: all its checkpoints are kept. */
  keepsAll: boolean;
  createdAt: number;
  updatedAt: number;
}

/** After so long without activity a thread goes, or only what it does not need to go on from its newest state. */
export interface ThreadTtl {
  minutes: number;
  strategy: PruneStrategy;
}

export type PruneStrategy = 'delete' | 'keep_latest';

/** What a node asks a person. */
export interface Interrupt {
  interruptId: string;
  value: unknown;
  agent: string;
  /** The names of the nodes whose graphs it is in; [] at the root. */
  path: string[];
}

/** A node before or after which a graph was asked to stop. */
export interface Stop {
  agent: string;
  when: 'before' | 'after';
  path: string[];
}

/** A turn that waits for a person: for answers, or to go on from where it stopped. */
export interface PendingInterrupt {
  interrupts: Interrupt[];
  stoppedAt: Stop[];
  runId: string;
  /** An answer came to nothing, and LangGraph still has it: call `rewindInterrupt` before the next. */
  failedAnswer?: true;
  /** The head before the turn, which stands again when the interrupt is dropped, and how much it holds. */
  headBefore: string | null;
  memoryBefore: MemorySize;
}

/** How much the head's window holds, so that a turn knows without reading it whether something must leave. */
export interface MemorySize {
  messages: number;
  tokens: number;
  summary: string;
}

export interface MovedHead {
  /** Where the next run starts; undefined: as before. */
  head: string | undefined;
  /** Where the graph stands at the new head, if it has not ended: the thread waits to go on from there. */
  stoppedAt: Stop[];
  workflow: string;
  at: number;
}

export interface Threads {
  byKey(key: string): Promise<Thread | undefined>;
  find(owner: string, threadId: string): Promise<Thread | undefined>;
  /**
   * Drops the pending interrupt, or that of the given run: the head before it stands again, and its run is cancelled.
   * Where LangGraph's protocol has written since, the head stays. False where a run that answers it
   * has not ended: then nothing is done. Throws LeaseLost where `by` is lost.
   */
  dropInterrupt(key: string, runId?: string, by?: Lease): Promise<boolean>;
  /**
   * A change from outside of a run, which also gets an entry `state` in the thread's log. All checkpoints of the thread
   * are kept from then on. False where a run has not ended: then the new head is removed, and there is no entry.
   */
  moveHead(key: string, to: MovedHead): Promise<boolean>;
  /**
   * Undoes what a cut-off or failed attempt to answer the pending interrupt has left of agents that did not finish, so that the
   * answer is not taken for that of a later question. Throws LeaseLost where `by` is lost.
   */
  rewindInterrupt(key: string, by?: Lease): Promise<void>;
}

/** Crons: runs that start repeatedly on a schedule. */

type Mapping = Record<string, unknown>;

/** The fields that callers can change. Times are milliseconds since 1970. */
export interface CronContent {
  /** Five fields, as in a crontab. */
  schedule: string;
  /** IANA's name; null for UTC. */
  timezone: string | null;
  enabled: boolean;
  /** No run starts after this time. */
  endTime: number | null;
  /** What happens to the thread of each run. */
  onRunCompleted: 'delete' | 'keep';
  /** The run's request, as received. */
  payload: Mapping;
  metadata: Mapping;
  /** When the next run starts; null if none does. */
  nextAt: number | null;
}

export interface Cron extends CronContent {
  cronId: string;
  owner: string;
  /** The owner's name, for graphs. */
  ownerName: string;
  assistantId: string;
  /** The thread of all its runs; null if each has its own. */
  threadId: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface NewCron extends Omit<Cron, 'threadId' | 'updatedAt'> {
  /** It is deleted with the thread. */
  thread: { key: string; threadId: string } | null;
}

export interface CronSearch {
  owner: string;
  assistantId?: string | undefined;
  threadId?: string | undefined;
  enabled?: boolean | undefined;
  /** Fields that must be equal. */
  metadata?: Mapping | undefined;
  sortBy:
    | 'cron_id'
    | 'assistant_id'
    | 'thread_id'
    | 'created_at'
    | 'updated_at'
    | 'next_run_date'
    | 'end_time';
  descending: boolean;
  limit: number;
  offset: number;
}

/** A run that a cron has started. */
export interface CronRun {
  runId: string;
  threadId: string;
  /** Whether to delete the thread when the run has ended. */
  isTemporary: boolean;
}

interface Hold {
  holdMs: number;
  limit: number;
}

export interface CronStore {
  create(cron: NewCron): Promise<Cron>;
  find(owner: string, cronId: string): Promise<Cron | undefined>;
  change(owner: string, cronId: string, content: CronContent, at: number): Promise<boolean>;
  remove(owner: string, cronId: string): Promise<boolean>;
  /** `total`: the number of results on all pages. */
  search(search: CronSearch): Promise<{ items: Cron[]; total: number }>;
  /**
   * Those whose time has come, oldest first. No other server is given them for `holdMs`, after which they are due again
   * unless they have moved on: so none is left out, whenever a process ends.
   */
  take(now: number, options: Hold): Promise<Cron[]>;
  /**
   * Moves a cron on to its next time, unless it was changed or moved on since it was due at `at`, and keeps in mind in the
   * same transaction what thread goes with its run; gives whether it has moved it. With the same time it is due again.
   */
  advance(
    cron: Pick<Cron, 'owner' | 'cronId'>,
    to: { at: number; nextAt: number | null; run?: CronRun | undefined },
  ): Promise<boolean>;
  /** When the next one is due; null if none is. */
  nextAt(): Promise<number | null>;
  /** Threads of crons to delete: their runs have ended, and their webhooks are settled. Held like crons. */
  takeLeftThreads(now: number, options: Hold): Promise<{ owner: string; threadId: string; runId: string }[]>;
  forgetThread(runId: string): Promise<void>;
  /** Calls `listen` soon after each change of a cron; the returned function unsubscribes. */
  watch(listen: () => void): () => void;
}

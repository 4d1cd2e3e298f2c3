/** Crons: runs that start repeatedly on a schedule. */

type Mapping = Record<string, unknown>;

/** The fields that callers can change. Times are milliseconds since 1970. */
export interface CronContent {
  /** Five fields, as in a crontab. */
  schedule: string;
  /** IANA time zone name; null for UTC. */
  timezone: string | null;
  enabled: boolean;
  /** No run starts after this time. */
  endTime: number | null;
  /** Whether to delete or keep the thread of each run when it ends. */
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
  /** The owner's name, which is passed to graphs. */
  ownerName: string;
  assistantId: string;
  /** The thread of all its runs; null if each run gets its own. */
  threadId: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface NewCron extends Omit<Cron, 'threadId' | 'updatedAt'> {
  /** The cron is deleted together with this thread. */
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
   * Takes crons that are due, oldest first. Other servers don't get them for `holdMs`. Then they are due again unless
   * `advance` has moved them, so none is skipped if a process ends in between.
   */
  take(now: number, options: Hold): Promise<Cron[]>;
  /**
   * Moves a cron that was due at `at` to its next time, and records in the same transaction the thread to delete with its run.
   * Does nothing and returns false if the cron has been changed or moved. With the same time the cron is due again.
   */
  advance(
    cron: Pick<Cron, 'owner' | 'cronId'>,
    to: { at: number; nextAt: number | null; run?: CronRun | undefined },
  ): Promise<boolean>;
  /** The time at which the next cron is due; null if none is. */
  nextAt(): Promise<number | null>;
  /** Claims the threads to delete: their runs have ended and their webhooks are settled. They are held as in `take`. */
  claimExpiredThreads(
    now: number,
    options: Hold,
  ): Promise<{ owner: string; threadId: string; runId: string }[]>;
  /** Call it once the thread is deleted. */
  removeExpiredThread(runId: string): Promise<void>;
  /** Calls `listen` soon after each change of a cron; the returned function unsubscribes. */
  watch(listen: () => void): () => void;
}

/** Starts the runs of crons when they are due, and deletes the temporary threads of ended runs. */
import type { Logger } from 'pino';
import { SkeinError } from '../../../state/errors.ts';
import type { Cron, CronStore } from '../../../state/resources/crons.ts';
import { nextTime } from './schedule.ts';
import type { StartedCronRun } from './start-cron-run.ts';

export interface SchedulerParts {
  crons: CronStore;
  /** See `startCronRun`. */
  start(cron: Cron, at: number): Promise<StartedCronRun>;
  /** Deletes a thread unless a turn is running or queued on it. Returns whether the thread no longer exists. */
  removeThread(owner: string, threadId: string): Promise<boolean>;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface Scheduler {
  /**
   * Starts crons when they are due, until `stop`. A cron whose time passed while no server was running starts once, however
   * many times it missed.
   */
  start(): void;
  /** Resolves when all starts in progress are complete. */
  stop(): Promise<void>;
  /** Starts all crons and deletes all threads that are due now. */
  runDue(): Promise<void>;
}

const BATCH_SIZE = 20;
// Limits the delay if the system clock is set forward.
const MAX_TIMER_MS = 60_000;
const RETRY_MS = 5_000;
// Much longer than a start takes. If it takes longer, another server finds the run that this one has started, because the
// due time is the idempotency key.
const CLAIM = { holdMs: 30_000, limit: BATCH_SIZE };
// Errors that a retry may fix. A run that is rejected with another error is skipped.
const RETRYABLE = ['OVERLOADED', 'SHUTTING_DOWN', 'STATE_UNAVAILABLE', 'STORAGE_FULL'];

export function cronScheduler(parts: SchedulerParts): Scheduler {
  const { crons, start, removeThread, log, now = Date.now } = parts;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pass: Promise<void> | undefined;
  let isRequested = false;
  let stopped = true;
  let unwatch = () => {};

  function runDue(): Promise<void> {
    isRequested = true;
    pass ??= runRequested().finally(() => {
      pass = undefined;
      // Requested after the last check of the loop.
      if (isRequested && !stopped) void runDue();
    });
    return pass;
  }

  async function runRequested(): Promise<void> {
    let wait = MAX_TIMER_MS;
    try {
      while (isRequested) {
        isRequested = false;
        const isDone = await startDue();
        await removeThreads();
        const next = await crons.nextAt();
        wait = isDone ? Math.min((next ?? Number.POSITIVE_INFINITY) - now(), MAX_TIMER_MS) : RETRY_MS;
      }
    } catch (err) {
      isRequested = false;
      log.error({ err }, 'due crons cannot be read; retrying');
    }
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(runDue, Math.max(wait, 0));
  }

  /** Returns false if some of them must be retried, because the service is overloaded or unavailable. */
  async function startDue(): Promise<boolean> {
    for (;;) {
      const due = await crons.take(now(), CLAIM);
      const started = await Promise.all(due.map((cron) => startOne(cron, cron.nextAt ?? now())));
      if (started.includes(false)) return false;
      if (due.length < BATCH_SIZE) return true;
    }
  }

  async function startOne(cron: Cron, at: number): Promise<boolean> {
    const { cronId } = cron;
    const run = await start(cron, at).catch((error: unknown) =>
      error instanceof SkeinError ? error : new SkeinError('INTERNAL_ERROR', { cause: error }),
    );
    const isRejected = run instanceof SkeinError;
    if (isRejected && RETRYABLE.includes(run.code)) {
      // Release the claim, because another server may have capacity.
      await crons.advance(cron, { at, nextAt: at });
      return false;
    }
    // Calculate from now, not from `at`, so that several missed starts cause only one.
    const nextAt = nextTime(cron, Math.max(now(), at));
    const isAdvanced = await crons.advance(cron, { at, nextAt, ...(!isRejected && { run }) });
    if (isRejected) {
      const { code, detail, cause } = run;
      const fields = {
        cron_id: cronId,
        error_code: code,
        detail,
        ...(cause !== undefined && { err: cause }),
      };
      log.warn(fields, 'cron run skipped');
      return true;
    }
    // Otherwise another server has already logged this run, or the cron has changed since it was due.
    if (isAdvanced)
      log.info({ cron_id: cronId, run_id: run.runId, due: new Date(at).toISOString() }, 'cron run started');
    const onEnd = () => void (stopped || runDue());
    if (run.isTemporary) run.ended.then(onEnd, onEnd);
    return true;
  }

  async function removeThreads(): Promise<void> {
    for (const { owner, threadId, runId } of await crons.claimExpiredThreads(now(), CLAIM))
      if (await removeThread(owner, threadId)) await crons.removeExpiredThread(runId);
  }

  return {
    start() {
      stopped = false;
      unwatch = crons.watch(() => void runDue());
      void runDue();
    },
    async stop() {
      stopped = true;
      unwatch();
      clearTimeout(timer);
      await pass;
      clearTimeout(timer);
    },
    runDue,
  };
}

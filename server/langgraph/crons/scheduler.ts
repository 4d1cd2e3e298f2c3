/** Starts the runs of crons when their time comes, and deletes the threads that go with a run. */
import type { Logger } from 'pino';
import type { Cron, CronStore } from '../../../state/crons.ts';
import { SkeinError } from '../../../state/errors.ts';
import { nextTime } from './schedule.ts';
import type { StartedCronRun } from './start-cron-run.ts';

export interface SchedulerParts {
  crons: CronStore;
  /** See `startCronRun`. */
  start(cron: Cron, at: number): Promise<StartedCronRun>;
  /** Deletes a thread unless a turn runs or waits on it; gives whether it is gone. */
  removeThread(owner: string, threadId: string): Promise<boolean>;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface Scheduler {
  /** Starts what is due, also what an earlier process missed: once, however often its time has passed. */
  start(): void;
  /** Resolves when nothing is being started. */
  stop(): Promise<void>;
  /** Does all that is due now. */
  look(): Promise<void>;
}

const AT_ONCE = 20;
// Also after a change of the clock, a timer does not wait longer.
const LONGEST_MS = 60_000;
const RETRY_MS = 5_000;
// Far beyond what a start takes. If it takes longer, another server finds the run that this one has started.
const HOLD = { holdMs: 30_000, limit: AT_ONCE };
// What another try may mend; a run that is refused for another reason is left out.
const PASSING = ['OVERLOADED', 'SHUTTING_DOWN', 'STATE_UNAVAILABLE', 'STORAGE_FULL'];

export function cronScheduler(parts: SchedulerParts): Scheduler {
  const { crons, start, removeThread, log, now = Date.now } = parts;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let stopped = true;
  let unwatch = () => {};

  function look(): Promise<void> {
    again = true;
    looking ??= lookAll().finally(() => {
      looking = undefined;
      // Asked for after the last look.
      if (again && !stopped) void look();
    });
    return looking;
  }

  async function lookAll(): Promise<void> {
    let wait = LONGEST_MS;
    try {
      while (again) {
        again = false;
        const isDone = await startDue();
        await removeLeft();
        const next = await crons.nextAt();
        wait = isDone ? Math.min((next ?? Number.POSITIVE_INFINITY) - now(), LONGEST_MS) : RETRY_MS;
      }
    } catch (err) {
      again = false;
      log.error({ err }, 'crons cannot be looked for, tried again');
    }
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(look, Math.max(wait, 0));
  }

  /** False if the service has no room for some of them now. */
  async function startDue(): Promise<boolean> {
    for (;;) {
      const due = await crons.take(now(), HOLD);
      const started = await Promise.all(due.map((cron) => startOne(cron, cron.nextAt ?? now())));
      if (started.includes(false)) return false;
      if (due.length < AT_ONCE) return true;
    }
  }

  async function startOne(cron: Cron, at: number): Promise<boolean> {
    const { cronId } = cron;
    const run = await start(cron, at).catch((error: unknown) =>
      error instanceof SkeinError ? error : new SkeinError('INTERNAL_ERROR', { cause: error }),
    );
    const isRefused = run instanceof SkeinError;
    if (isRefused && PASSING.includes(run.code)) {
      // Another server may have room for it.
      await crons.advance(cron, { at, nextAt: at });
      return false;
    }
    // From now on and not from then: what was missed is made up for once.
    const nextAt = nextTime(cron, Math.max(now(), at));
    const isOwn = await crons.advance(cron, { at, nextAt, ...(!isRefused && { run }) });
    if (isRefused) {
      const { code, detail, cause } = run;
      const about = { cron_id: cronId, error_code: code, detail, ...(cause !== undefined && { err: cause }) };
      log.warn(about, 'a run of a cron is left out');
      return true;
    }
    if (isOwn)
      log.info({ cron_id: cronId, run_id: run.runId, due: new Date(at).toISOString() }, 'cron run started');
    const ended = () => void (stopped || look());
    if (run.isTemporary) run.ended.then(ended, ended);
    return true;
  }

  async function removeLeft(): Promise<void> {
    for (const { owner, threadId, runId } of await crons.takeLeftThreads(now(), HOLD))
      if (await removeThread(owner, threadId)) await crons.forgetThread(runId);
  }

  return {
    start() {
      stopped = false;
      unwatch = crons.watch(() => void look());
      void look();
    },
    async stop() {
      stopped = true;
      unwatch();
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
    },
    look,
  };
}

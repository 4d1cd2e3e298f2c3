/** A run from its acceptance to its end: waits for its place, executes, and writes its end whatever happened. */
import type { Logger } from 'pino';
import { errorBody, SkeinError } from '../state/errors.ts';
import type { EventBatch, RunEnd, RunRequest, State, Thread, TurnResult, Usage } from '../state/state.ts';
import { type Executed, type ExecuteParts, execute } from './execute.ts';
import type { Place } from './lines.ts';
import { tokenMeter } from './meter.ts';
import type { Metrics } from './metrics.ts';
import { waitsForPerson } from './refusals.ts';
import type { RunnableWorkflow } from './registry.ts';
import { runLog } from './run-log.ts';

/** A run that has ended well: everything the caller's answer is made of. */
export interface EndedRun {
  runId: string;
  threadId: string;
  messageId: string;
  workflow: string;
  request: RunRequest;
  usage: Usage;
  result: TurnResult;
}

export interface ActiveRun {
  lineKey: string;
  readonly running: boolean;
  ended: Promise<EndedRun>;
  /** Somebody wants it to end: it is cancelled for good. */
  cancel(): void;
  /** The service stops: the run stays as it is, and goes on at the next start. */
  stop(): void;
}

export interface RunnerParts {
  state: State;
  log: Logger;
  /** Runs of this process that have not ended, by id. */
  active: Map<string, ActiveRun>;
  queueSeconds: number;
  metrics: Metrics;
  parts: ExecuteParts;
}

export interface Start {
  run: { runId: string; threadId: string; messageId: string; workflow: string; request: RunRequest };
  lineKey: string;
  threadKey: string;
  place: Place;
  /** What runs it, or why it can run no more. */
  workflow: RunnableWorkflow | SkeinError;
  strategy: 'enqueue' | 'reject' | 'supersede';
  checkpoint?: string | undefined;
  attempt?: number;
  /** The events that an earlier process has stored. */
  earlier?: EventBatch[];
  /** The thread as it was accepted, where the run starts at once and is on disk as running. */
  thread?: Thread;
}

const INSIST_MS = 500;

/** Gives the function that starts an accepted run. */
export function runner({ state, log, active, queueSeconds, metrics, parts }: RunnerParts) {
  return function start(started: Start): { ended: Promise<EndedRun>; cancel: () => void } {
    const { run, lineKey, threadKey } = started;
    const stopper = new AbortController();
    const journal = runLog(run.runId, state.events, started.earlier);
    const meter = tokenMeter(run.request.tokenBudget);
    let running = false;
    let stopped = false;
    let began = Date.now();
    let before: RunEnd['before'] = { head: null, messageCount: 0 };
    const cancel = () => stopper.abort(new SkeinError('RUN_CANCELLED'));
    const stop = () => {
      stopped = true;
      stopper.abort(
        new SkeinError('SHUTTING_DOWN', {
          detail: `Run ${run.runId} goes on at the next start`,
          retryAfter: 5,
        }),
      );
    };
    /** Gives the thread free. Not before the run's end is written: what follows would build on a head it may still move. */
    const release = () => {
      active.delete(run.runId);
      started.place.leave();
    };
    const ended = perform();
    // Who is not listening must not bring the process down; the end is on disk.
    ended.catch(() => {});
    active.set(run.runId, {
      lineKey,
      get running() {
        return running;
      },
      ended,
      cancel,
      stop,
    });
    return { ended, cancel };

    async function perform(): Promise<EndedRun> {
      let deadline: ReturnType<typeof setTimeout> | undefined;
      try {
        if (!started.place.started()) await patience(started.place.ready, queueSeconds, stopper.signal);
        running = true;
        began = Date.now();
        deadline = timeout(stopper, run.request.deadlineSeconds);
        if (!started.thread) state.runs.begin(run.runId, Date.now(), started.attempt ?? 1);
        if (!started.earlier?.length) journal.emit({ event: 'run', data: opening() });
        const executed = await turn();
        await write(endOf({ status: executed.result.interrupt ? 'interrupted' : 'succeeded', ...executed }));
        release();
        return { ...run, usage: meter.usage, result: executed.result };
      } catch (error) {
        await fail(error);
        throw error instanceof SkeinError ? error : new SkeinError('INTERNAL_ERROR', { cause: error });
      } finally {
        clearTimeout(deadline);
      }
    }

    function opening() {
      const { runId, threadId, messageId, workflow } = run;
      return { run_id: runId, thread_id: threadId, message_id: messageId, workflow };
    }

    async function turn(): Promise<Executed> {
      const { workflow, checkpoint } = started;
      if (workflow instanceof SkeinError) throw workflow;
      if (started.strategy === 'supersede') await state.threads.dropInterrupt(threadKey);
      const thread = await currentThread();
      before = thread;
      if (thread.interrupt) throw waitsForPerson(thread.interrupt.value);
      const { signal } = stopper;
      const { traceparent } = run.request;
      const context = { emit: journal.emit, signal, meter, traceparent, usedModel: () => {} };
      return await execute(parts, { run, thread, workflow, context, checkpoint });
    }

    async function currentThread(): Promise<Thread> {
      if (started.thread && started.strategy !== 'supersede') return started.thread;
      const thread = await state.threads.byKey(threadKey);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      return thread;
    }

    async function fail(error: unknown): Promise<void> {
      const code = error instanceof SkeinError ? error.code : 'INTERNAL_ERROR';
      report(log, error, run);
      if (code === 'SHUTTING_DOWN') return release();
      const body = errorBody(error, run.request.requestId);
      journal.emit({ event: 'error', data: body });
      const end = endOf({ status: code === 'RUN_CANCELLED' ? 'cancelled' : 'failed', error: body });
      try {
        await write(end);
        release();
      } catch (cause) {
        log.error(
          { err: cause, run_id: run.runId },
          "a run's end cannot be written, its thread waits for it",
        );
        insist(end).then(release);
      }
    }

    /** Until it is written, or the service stops: then the run goes on at the next start. */
    async function insist(end: RunEnd): Promise<void> {
      while (!stopped) {
        await Bun.sleep(INSIST_MS);
        try {
          return await write(end);
        } catch {
          // Said when it failed first.
        }
      }
    }

    function endOf(outcome: RunEnd['outcome']): RunEnd {
      journal.emit({ event: 'end', data: {} });
      return {
        run: { ...run, threadKey },
        before,
        finishedAt: Date.now(),
        usage: meter.usage,
        agents: journal.agents(),
        events: journal.take(),
        outcome,
      };
    }

    async function write(end: RunEnd): Promise<void> {
      await state.runs.end(end);
      metrics.runEnded(run.workflow, end.outcome.status, (Date.now() - began) / 1000, meter.usage);
    }
  };
}

/** Waits for the run's place, at most so long, and not when the run is stopped. */
async function patience(ready: Promise<void>, seconds: number, signal: AbortSignal): Promise<void> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new SkeinError('RUN_TIMEOUT', { message: `The run waited longer than ${seconds} s for its start` }),
    );
  }, seconds * 1000);
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([ready, refused]);
    signal.throwIfAborted();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function timeout(stopper: AbortController, seconds: number): ReturnType<typeof setTimeout> {
  const error = () => new SkeinError('RUN_TIMEOUT', { detail: `The deadline was ${seconds} s` });
  return setTimeout(() => stopper.abort(error()), seconds * 1000);
}

function report(log: Logger, error: unknown, { runId, workflow }: Start['run']): void {
  const at = { run_id: runId, workflow };
  if (error instanceof SkeinError && error.code !== 'INTERNAL_ERROR') {
    log.warn({ ...at, error_code: error.code, detail: error.detail }, 'run ended');
  } else log.error({ ...at, err: error }, 'run failed');
}

/** A run from its acceptance to its end: waits for its place, executes, and writes its end whatever happened. */
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import type { NewEntry } from '../../state/events.ts';
import type { AgentReport } from '../../state/run-trace.ts';
import {
  type Attempt,
  FIRST_ATTEMPT,
  type Run,
  type RunEnd,
  type RunRequest,
  type TurnResult,
  type Usage,
} from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { Thread } from '../../state/threads.ts';
import type { EarlierEvents } from '../journal/earlier-events.ts';
import type { KeptCalls } from '../journal/kept-calls.ts';
import { type RunLog, runLog } from '../journal/run-log.ts';
import { workFinished } from '../journal/run-progress.ts';
import type { Metrics } from '../metrics.ts';
import type { Place } from '../queue/thread-queue.ts';
import { deadline, patience } from '../queue/time-limits.ts';
import type { RunnableWorkflow } from '../workflows/registry.ts';
import { runEnding } from './ending.ts';
import { type Executed, type ExecuteParts, execute } from './execute.ts';
import { tokenMeter } from './meter.ts';
import { waitsForPerson } from './refusals.ts';

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
  log: RunLog;
  /** It takes the place of what runs or waits on its thread. */
  supersedes: boolean;
  /** The run whose interrupt this one answers. */
  answers: string | undefined;
  /** What its agents have done and used so far. */
  progress(): { agents: AgentReport[]; usage: Usage };
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
  keptCalls: KeptCalls;
  parts: ExecuteParts;
}

export interface Start {
  run: Pick<Run, 'runId' | 'threadId' | 'messageId' | 'workflow' | 'request' | 'createdAt'> &
    Partial<Pick<Run, 'usage'>>;
  lineKey: string;
  threadKey: string;
  place: Place;
  /** What runs it, or why it can run no more. */
  workflow: RunnableWorkflow | SkeinError;
  checkpoint?: string | undefined;
  /** Default: the first. */
  attempt?: Attempt;
  /** The events that an earlier process has stored. */
  earlier?: EarlierEvents;
  /** The thread as it was accepted, where the run starts at once and is on disk as running. */
  thread?: Thread;
}

/** What is known of a thread before a run has begun on it. */
const NOTHING_BEFORE: RunEnd['before'] = {
  head: null,
  interrupt: null,
  memory: { messages: 0, tokens: 0, summary: '' },
  messageCount: 0,
};

/** Gives the function that starts an accepted run. */
export function runner({ state, log, active, queueSeconds, metrics, keptCalls, parts }: RunnerParts) {
  return function start(started: Start): ActiveRun {
    const { run, lineKey, threadKey, place } = started;
    const stopper = new AbortController();
    const meter = tokenMeter(run.request.tokenBudget, run.usage);
    const journal = runLog(run.runId, state.events, started.earlier);
    const kept = keptCalls.open(run.runId, lineKey);
    const ending = runEnding({ run: { ...run, threadKey }, journal, meter, state, metrics, log });
    let running = false;
    let stopped: SkeinError | undefined;
    let before: RunEnd['before'] = NOTHING_BEFORE;
    if (!started.earlier?.last) journal.emit({ kind: 'run', body: opening(run) });
    const ended = perform();
    // Who is not listening must not bring the process down; the end is on disk.
    ended.catch(() => {});
    const self: ActiveRun = {
      lineKey,
      get running() {
        return running;
      },
      log: journal,
      supersedes: run.request.supersedes === true,
      answers: run.request.resume?.runId,
      progress: () => ({ agents: journal.agents(), usage: { ...meter.usage } }),
      ended,
      cancel: () => stopper.abort(new SkeinError('RUN_CANCELLED')),
      stop() {
        stopped = shuttingDown(run.runId);
        ending.giveUp();
        stopper.abort(stopped);
      },
    };
    active.set(run.runId, self);
    return self;

    async function perform(): Promise<EndedRun> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        if (!place.started()) await patience(place.ready, queueSeconds, stopper.signal);
        running = true;
        ending.begin();
        timer = deadline(stopper, run.request.deadlineSeconds);
        if (!started.thread) await begin(started.attempt ?? FIRST_ATTEMPT);
        const executed = await turn();
        await ending.succeed(executed, before);
        release();
        return { ...run, usage: meter.usage, result: executed.result };
      } catch (error) {
        throw await fail(error);
      } finally {
        clearTimeout(timer);
      }
    }

    /** A run that takes the process down at once must be counted before it does. */
    async function begin(attempt: Attempt): Promise<void> {
      const begun = state.runs.begin(run.runId, Date.now(), attempt);
      if (attempt.number > 1) await begun;
      // Where this is lost, the run is still there as queued, and goes on as such.
      else begun.catch(() => {});
    }

    async function turn(): Promise<Executed> {
      const { workflow, checkpoint } = started;
      if (workflow instanceof SkeinError) throw workflow;
      if (run.request.supersedes) await state.threads.dropInterrupt(threadKey);
      const thread = await currentThread();
      before = thread;
      const { traceparent, resume } = run.request;
      if (thread.interrupt && !resume) throw waitsForPerson(thread.interrupt.value);
      if (resume && thread.interrupt?.runId !== resume.runId) throw new SkeinError('NOT_INTERRUPTED');
      if (resume && started.earlier && !checkpoint) await state.threads.rewindInterrupt(threadKey);
      const { attempts, left, record } = journal;
      const { signal } = stopper;
      const told = { emit, usedModel: () => {}, onEnd: kept.add };
      const context = { ...told, attempts, record, signal, meter, traceparent };
      return await execute(parts, { run, thread, workflow, context, checkpoint, left });
    }

    function emit(entry: NewEntry): void {
      journal.emit(entry);
      // After a crash it is known from the events, but for what nobody's work was: a summary. Where this is lost, so is
      // the work, or the run's end says it.
      if (workFinished(entry) && !same(meter.usage, journal.told))
        state.runs.spend(run.runId, meter.usage).catch(() => {});
    }

    async function currentThread(): Promise<Thread> {
      if (started.thread && !run.request.supersedes) return started.thread;
      const thread = await state.threads.byKey(threadKey);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      return thread;
    }

    /** Gives what the caller is told. */
    async function fail(thrown: unknown): Promise<SkeinError> {
      if (stopped) {
        // Where this cannot be written, the next start counts another attempt.
        await state.runs
          .pause(run.runId)
          .catch((err) => log.error({ err, run_id: run.runId }, 'run not paused'));
        journal.close(stopped);
        release();
        return stopped;
      }
      const error =
        thrown instanceof SkeinError ? thrown : new SkeinError('INTERNAL_ERROR', { cause: thrown });
      report(log, error, run);
      await ending.fail(error, before, release);
      return error;
    }

    /** Gives the thread free. Not before the run's end is written: what follows would build on a head it may still move. */
    function release(): void {
      active.delete(run.runId);
      place.leave();
    }
  };
}

function same(a: Usage, b: Usage): boolean {
  return a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}

function opening({ runId, threadId, messageId, workflow }: Start['run']) {
  return { run_id: runId, thread_id: threadId, message_id: messageId, workflow };
}

function shuttingDown(runId: string): SkeinError {
  return new SkeinError('SHUTTING_DOWN', { detail: `Run ${runId} goes on at the next start`, retryAfter: 5 });
}

function report(log: Logger, error: SkeinError, { runId, workflow, request }: Start['run']): void {
  const at = { run_id: runId, request_id: request.requestId, workflow };
  if (error.code === 'INTERNAL_ERROR') log.error({ ...at, err: error.cause ?? error }, 'run failed');
  else log.warn({ ...at, error_code: error.code, detail: error.detail }, 'run ended');
}

/**
 * A run in this process, from its acceptance to its end. It waits for its turn, runs, and ends in one of three ways: its
 * end is written, it is released for the next start, or another process claims it and its lease is lost.
 */
import type { Logger } from 'pino';
import type { RunSaver } from '../../state/checkpoints.ts';
import type { Output } from '../../state/conversation.ts';
import type { Claim, StopReason } from '../../state/coordination.ts';
import { SkeinError } from '../../state/errors.ts';
import type { NewEntry } from '../../state/events.ts';
import { isLeaseLost, type Lease } from '../../state/lease.ts';
import type { AgentReport } from '../../state/run-trace.ts';
import type { Run, RunRequest, TurnResult, Usage } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { Thread } from '../../state/threads.ts';
import type { EarlierEvents } from '../journal/earlier-events.ts';
import type { KeptCalls } from '../journal/kept-calls.ts';
import { type RunLog, runLog } from '../journal/run-log.ts';
import { workFinished } from '../journal/run-progress.ts';
import type { Metrics } from '../metrics.ts';
import { deadline, patience } from '../queue/time-limits.ts';
import type { Turns, Waiting } from '../queue/turns.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import { runEnding } from './ending.ts';
import { execute } from './execute.ts';
import type { Executed, ExecuteParts } from './execution.ts';
import { tokenMeter } from './meter.ts';
import { waitsForPerson } from './refusals.ts';
import type { StoreOf } from './run-store.ts';
import type { ThreadActivity } from './thread-activity.ts';

/** A run that has ended well: everything that goes into the caller's answer. */
export interface EndedRun {
  runId: string;
  threadId: string;
  messageId: string;
  workflow: string;
  request: RunRequest;
  usage: Usage;
  result: TurnResult;
  /** The graph's output; null for a workflow that is made with `workflow()`. */
  values: unknown;
}

export interface ActiveRun {
  owner: string;
  log: RunLog;
  /** The run whose interrupt this one answers. */
  answers: string | undefined;
  /** What its agents have done and used so far. */
  progress(): { agents: AgentReport[]; usage: Usage };
  ended: Promise<EndedRun>;
  /** Ends the run for good. */
  cancel(reason?: StopReason): void;
  /** The service stops: the run stays as it is and continues at the next start. */
  stop(): void;
}

export interface RunnerParts {
  state: State;
  log: Logger;
  /** Runs of this process that have not ended, by id. */
  active: Map<string, ActiveRun>;
  activity: ThreadActivity;
  turns: Turns;
  queueSeconds: number;
  metrics: Metrics;
  keptCalls: KeptCalls;
  storeOf: StoreOf;
  parts: ExecuteParts;
}

export interface Start {
  run: Pick<Run, 'runId' | 'owner' | 'threadId' | 'messageId' | 'workflow' | 'request' | 'createdAt'> &
    Partial<Pick<Run, 'usage' | 'notBefore'>>;
  threadKey: string;
  /** Its turn; if it has already come, the claim itself. */
  turn: Waiting | Claim;
  /** Gives the right to end it while it waits. */
  lease: Lease;
  /** What runs it, or why it can no longer run. */
  workflow: RunnableWorkflow | SkeinError;
  /** The events that an earlier process has stored. */
  earlier?: EarlierEvents | undefined;
}

/** What a run holds: while it waits, the right to end it; then the thread; and finally what its graph writes to. */
interface Held {
  lease: Lease;
  running: boolean;
  thread?: Thread;
  saver?: RunSaver;
}

/** Returns the function that starts an accepted run. */
export function runner(runnerParts: RunnerParts) {
  const { state, log, active, activity, turns, queueSeconds, metrics, keptCalls, storeOf, parts } =
    runnerParts;

  return function start({ run, threadKey, turn, lease, workflow, earlier }: Start): ActiveRun {
    const { runId, threadId, request } = run;
    const stopper = new AbortController();
    const { signal } = stopper;
    let held: Held = { lease, running: false };
    const meter = tokenMeter(request.tokenBudget, run.usage);
    const journal = runLog((...asked) => state.events.append(held.lease, ...asked), {
      earlier,
      atOnce: request.protocol !== undefined,
    });
    const kept = keptCalls.open(runId, threadKey);
    const ending = runEnding({ run: { ...run, threadKey }, journal, meter, turns, metrics, log });
    let rollback = false;
    const cancel = (reason: StopReason = 'cancel') => {
      rollback ||= reason === 'rollback';
      stopper.abort(new SkeinError('RUN_CANCELLED'));
    };
    /** Set when the service stops it. */
    let released: SkeinError | undefined;

    if (!earlier?.last) journal.emit({ kind: 'run', body: opening(run) });
    // Must come before anything waits for the claim: a run that is given up ends with what it holds.
    if ('claimed' in turn) void turn.claimed.then(take);
    const ended = live();
    // A rejection that nobody listens to must not bring the process down; the end is on disk.
    ended.catch(() => {});
    const self: ActiveRun = {
      owner: run.owner,
      log: journal,
      answers: request.resume?.runId,
      progress: () => ({ agents: journal.agents(), usage: { ...meter.usage } }),
      ended,
      cancel,
      stop() {
        released = shuttingDown(runId);
        ending.giveUp();
        stopper.abort(released);
      },
    };
    active.set(runId, self);
    activity.began(threadKey, self);
    return self;

    function take(claim: Claim): void {
      if (!held.running) held = { lease: claim.lease, running: true, thread: claim.thread };
    }

    async function live(): Promise<EndedRun> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        const claim =
          'lease' in turn ? turn : await patience(turn.claimed, queueSeconds + delay(run), signal);
        take(claim);
        ending.begin();
        timer = deadline(stopper, request.deadlineSeconds);
        const executed = await execution(claim);
        await ending.succeed(executed, held);
        active.delete(runId);
        const { result, values } = executed;
        return { ...run, usage: meter.usage, result, values };
      } catch (error) {
        throw await over(error);
      } finally {
        clearTimeout(timer);
      }
    }

    async function execution({
      lease,
      thread: claimed,
      attempt,
      checkpoint,
      stop,
    }: Claim): Promise<Executed> {
      if (workflow instanceof SkeinError) throw workflow;
      if (attempt.deaths.count >= MOST_DEATHS) throw new SkeinError('RUN_CRASHED');
      if (stop) cancel(stop);
      signal.throwIfAborted();
      const thread = request.supersedes ? await withoutInterrupt() : claimed;
      held.thread = thread;
      if (!request.protocol) refuseWrongInterrupt(thread, request.resume);
      const isTriedAgain = lease.number > 1 || thread.interrupt?.failedAnswer;
      if (answers(request) && isTriedAgain && !checkpoint) await state.threads.rewindInterrupt(threadKey);
      const head = checkpoint ?? request.checkpointId ?? thread.head;
      const saver = state.saverOf({
        lease,
        threadKey,
        threadId,
        head,
        emit,
        metadata: checkpointMetadata(run),
      });
      held.saver = saver;
      const { executions, record } = journal;
      const told = { emit, onEnd: kept.add, working: new Map(), said: new Set() };
      const context = { ...told, executions, record, signal, meter, traceparent: request.traceparent };
      return execute(parts, {
        run,
        thread,
        saver,
        store: storeOf(thread.owner, workflow.adopted?.storeIndex),
        workflow,
        context,
        checkpoint: checkpoint ?? undefined,
        journal,
        before: await outputsBefore(),
      });
    }

    /** The turn's outputs from before it asked a person. */
    async function outputsBefore(): Promise<Output[]> {
      if (!request.resume) return [];
      const asked = await state.runs.find(held.thread?.owner ?? '', request.resume.runId);
      return asked?.result?.outputs ?? [];
    }

    async function withoutInterrupt(): Promise<Thread> {
      await state.threads.dropInterrupt(threadKey);
      const thread = await state.threads.byKey(threadKey);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      return thread;
    }

    function emit(entry: NewEntry): void {
      journal.emit(entry);
      // After a crash, usage is known from the events, except what belongs to no agent's work: a summary. If this write is
      // lost, so is the work, or the run's end has it.
      if (workFinished(entry) && !same(meter.usage, journal.told))
        state.coordination.spend(held.lease, meter.usage).catch(() => {});
    }

    /** Returns the error that the caller gets. */
    async function over(thrown: unknown): Promise<SkeinError> {
      if (released) return release(released);
      if (isLeaseLost(thrown)) return lose(thrown);
      const error =
        thrown instanceof SkeinError ? thrown : new SkeinError('INTERNAL_ERROR', { cause: thrown });
      report(log, error, run);
      try {
        await fail(error);
      } catch (lost) {
        return lose(lost);
      }
      return error;
    }

    async function fail(error: SkeinError): Promise<void> {
      const of = () => held;
      const waited = !held.running;
      const written = () => {
        active.delete(runId);
        if ('leave' in turn) turn.leave();
      };
      try {
        await ending.fail(error, of, { written, rollback });
      } catch (lost) {
        if (!waited || !('claimed' in turn)) throw lost;
        // Its turn came while it was being given up.
        await turn.claimed;
        await ending.fail(error, of, { written, rollback });
      }
    }

    async function release(reason: SkeinError): Promise<SkeinError> {
      if ('leave' in turn) turn.leave();
      // If this can't be written, the next start counts another attempt.
      if (held.running) {
        await turns.release(held.lease).catch((err) => log.error({ err, run_id: runId }, 'run not released'));
      }
      journal.close(reason);
      active.delete(runId);
      return reason;
    }

    function lose(err: unknown): SkeinError {
      log.warn({ err, run_id: runId }, 'run lost to another process');
      const error = shuttingDown(runId);
      if (held.running) turns.lost();
      journal.close(error);
      active.delete(runId);
      return error;
    }
  };
}

/** A run that took the process down with it must not do so at every start. */
const MOST_DEATHS = 3;

/** A turn must find no open question, and an answer its own one. */
function refuseWrongInterrupt({ interrupt }: Thread, resume: RunRequest['resume']): void {
  if (interrupt && !resume) throw waitsForPerson(interrupt.interrupts[0]?.value);
  if (resume && interrupt?.runId !== resume.runId) throw new SkeinError('NOT_INTERRUPTED');
}

/** How many seconds it is to wait before it begins to wait for its turn. */
function delay({ notBefore }: Start['run']): number {
  return Math.max(0, ((notBefore ?? 0) - Date.now()) / 1000);
}

/** What LangGraph's clients find with a checkpoint, and search for. */
function checkpointMetadata({ runId, threadId, workflow, request }: Start['run']) {
  const { protocol } = request;
  if (!protocol) return undefined;
  const own = { run_id: runId, thread_id: threadId, graph_id: workflow, assistant_id: protocol.assistantId };
  return { ...protocol.metadata, ...own };
}

/** Whether it brings a person's answer, by either protocol. */
function answers({ resume, protocol }: RunRequest): boolean {
  return resume !== undefined || protocol?.command?.resume !== undefined;
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
  else
    log.warn(
      {
        ...at,
        error_code: error.code,
        detail: error.detail,
        ...(error.cause !== undefined && { err: error.cause }),
      },
      'run ended',
    );
}

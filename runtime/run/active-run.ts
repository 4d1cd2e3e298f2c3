/**
 * A run in this process, from its acceptance to its end. It waits for its turn, runs, and ends in one of three ways: its
 * end is written, it is released for the next start, or another process claims it and its lease is lost.
 */
import type { Logger } from 'pino';
import type { RunSaver } from '../../state/checkpoints.ts';
import type { Claim, StopReason } from '../../state/coordination.ts';
import { isUnavailable, SkeinError } from '../../state/errors.ts';
import type { NewEntry } from '../../state/events.ts';
import { isLeaseLost, type Lease, LeaseLost } from '../../state/lease.ts';
import type { AgentReport } from '../../state/run-trace.ts';
import type { Usage } from '../../state/runs.ts';
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
import { type AcceptedRun, checkpointMetadata, delaySeconds, opening } from './accepted-run.ts';
import type { EndedRun, StoredEnd } from './ended-run.ts';
import { runEnding } from './ending.ts';
import { execute } from './execution/execute.ts';
import type { Executed, ExecuteParts } from './execution/execution.ts';
import { namingRun } from './following/elsewhere.ts';
import type { LoopWatch } from './loop-watch.ts';
import { tokenMeter } from './meter.ts';
import { bringsAnswer, outputsBefore, refuseWrongInterrupt, withoutInterrupt } from './open-interrupt.ts';
import { logFailure, runGone, shuttingDown } from './run-failure.ts';
import type { StoreOf } from './store/run-store.ts';
import type { ThreadActivity } from './thread-activity.ts';

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
  loop: LoopWatch;
  turns: Turns;
  queueSeconds: number;
  metrics: Metrics;
  keptCalls: KeptCalls;
  /** How a run ends that another process has. */
  endElsewhere: StoredEnd;
  storeOf: StoreOf;
  parts: ExecuteParts;
}

export interface Start {
  run: AcceptedRun;
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
  const { endElsewhere, loop } = runnerParts;

  return function start({ run, threadKey, turn, lease, workflow, earlier }: Start): ActiveRun {
    const { runId, threadId, request } = run;
    const stopper = new AbortController();
    const { signal } = stopper;
    let held: Held = { lease, running: false };
    const meter = tokenMeter(request.tokenBudget, run.usage);
    const journal = runLog((...asked) => state.events.append(held.lease, ...asked), {
      earlier,
      atOnce: request.protocol !== undefined,
      isFollowed: () => state.coordination.isFollowed(runId),
    });
    const kept = keptCalls.open(runId, threadKey);
    const ending = runEnding({
      run: { ...run, threadKey },
      journal,
      meter,
      turns,
      shared: state.shared,
      metrics,
      log,
    });
    let rollback = false;
    const cancel = (reason: StopReason = 'cancel') => {
      rollback ||= reason === 'rollback';
      stopper.abort(new SkeinError('RUN_CANCELLED'));
    };
    /** Set when the service stops it. */
    let released: SkeinError | undefined;

    if (!earlier?.last) journal.emit({ kind: 'run', body: opening(run) });
    // Must come before anything waits for the claim: a run that is given up ends with what it holds.
    if ('claimed' in turn) turn.claimed.then(take, () => {});
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

    /** This process may have claimed it again, after its lease was over. */
    function leave(): void {
      if (active.get(runId) === self) active.delete(runId);
    }

    function take(claim: Claim): void {
      if (!held.running) held = { lease: claim.lease, running: true, thread: claim.thread };
    }

    async function live(): Promise<EndedRun> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        const claim =
          'lease' in turn ? turn : await patience(turn.claimed, queueSeconds + delaySeconds(run), signal);
        take(claim);
        ending.begin();
        timer = deadline(stopper, request.deadlineSeconds);
        const executed = await execution(claim);
        await ending.succeed(executed, held);
        leave();
        const { result, values } = executed;
        return { ...run, usage: meter.usage, result, values };
      } catch (error) {
        const failure = await over(error);
        if (failure) throw failure;
      } finally {
        clearTimeout(timer);
        loop.forget(runId);
      }
      return endElsewhere(run.owner, runId).catch((error: unknown) => {
        throw error instanceof SkeinError && error.code === 'RUN_NOT_FOUND' ? runGone(runId, error) : error;
      });
    }

    async function execution(claim: Claim): Promise<Executed> {
      const { lease, attempt, checkpoint, stop } = claim;
      if (workflow instanceof SkeinError) throw workflow;
      if (attempt.deaths.count >= MOST_DEATHS) throw new SkeinError('RUN_CRASHED');
      if (stop) cancel(stop);
      signal.throwIfAborted();
      const thread = request.supersedes
        ? await withoutInterrupt(state.threads, threadKey, lease)
        : claim.thread;
      held.thread = thread;
      if (!request.protocol) refuseWrongInterrupt(thread, request.resume);
      const isTriedAgain = lease.number > 1 || thread.interrupt?.failedAnswer;
      if (bringsAnswer(request) && isTriedAgain && !checkpoint)
        await state.threads.rewindInterrupt(threadKey, lease);
      const head = checkpoint ?? request.checkpointId ?? thread.head;
      const metadata = checkpointMetadata(run);
      const saver = state.saverOf({ lease, threadKey, threadId, head, emit, metadata });
      held.saver = saver;
      const { executions, record } = journal;
      const told = { emit, onEnd: kept.add, working: new Map(), said: new Set() };
      const context = { ...told, executions, record, signal, meter, traceparent: request.traceparent };
      return execute(parts, {
        ...{ run, thread, saver, workflow, context, journal },
        store: storeOf(thread.owner, workflow.adopted?.storeIndex),
        checkpoint: checkpoint ?? undefined,
        before: await outputsBefore(state.runs, thread.owner, request),
      });
    }

    function emit(entry: NewEntry): void {
      loop.note(run, entry);
      journal.emit(entry);
      // After a crash, usage is known from the events, except what belongs to no agent's work: a summary. If this write is
      // lost, so is the work, or the run's end has it.
      if (workFinished(entry) && !same(meter.usage, journal.told))
        state.coordination.spend(held.lease, meter.usage).catch(() => {});
    }

    /** Returns the error that the caller gets; undefined if another process has the run. */
    async function over(thrown: unknown): Promise<unknown> {
      if (released) return release(released);
      if (isLeaseLost(thrown)) return lose(thrown);
      if (held.running && isUnavailable(thrown)) return giveBack(thrown);
      const error =
        thrown instanceof SkeinError ? thrown : new SkeinError('INTERNAL_ERROR', { cause: thrown });
      logFailure(log, error, run);
      try {
        await fail(error);
      } catch (lost) {
        return isUnavailable(lost) ? giveBack(lost) : lose(lost);
      }
      return error;
    }

    async function fail(error: SkeinError): Promise<void> {
      const of = () => held;
      const waited = !held.running;
      const written = () => {
        leave();
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
      leave();
      return reason;
    }

    /**
     * The database was away for too long. Whoever claims the run goes on with it: this process, or another one. Nobody waits
     * for that here.
     */
    async function giveBack(err: unknown): Promise<unknown> {
      log.warn({ err, run_id: runId }, 'run given back, because the database cannot be reached');
      const tryRelease = () => state.coordination.release(held.lease).catch((error: unknown) => error);
      const insist = async (): Promise<void> => {
        while (!released && isUnavailable(await tryRelease())) await Bun.sleep(GIVE_BACK_MS);
      };
      const isAway = isUnavailable(await tryRelease());
      journal.close(new LeaseLost(held.lease));
      void (isAway ? insist() : Promise.resolve()).then(() => lose(new LeaseLost(held.lease)));
      return isAway ? namingRun(err, runId) : undefined;
    }

    function lose(err: unknown): undefined {
      if (held.running) {
        log.warn({ err, run_id: runId }, 'run lost to another process');
        turns.lost();
      }
      journal.close(isLeaseLost(err) ? (err as Error) : new LeaseLost(held.lease));
      leave();
    }
  };
}

const GIVE_BACK_MS = 500;

/** A run that took the process down with it must not do so at every start. */
const MOST_DEATHS = 3;

function same(a: Usage, b: Usage): boolean {
  return a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}

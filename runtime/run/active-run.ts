/**
 * A run in this process, from its acceptance to its end. It waits for its turn, runs, and ends in one of three ways: its
 * end is written, it is released for the next start, or another process claims it and its lease is lost.
 */
import type { Logger } from 'pino';
import { taskCauses } from '../../graphs/adoption/task-causes.ts';
import type { BudgetStore } from '../../state/budgets.ts';
import type { Claim, StopReason } from '../../state/coordination.ts';
import { SkeinError } from '../../state/errors.ts';
import type { NewEntry } from '../../state/events.ts';
import { type Lease, LeaseLost } from '../../state/lease.ts';
import type { AgentReport } from '../../state/run-trace.ts';
import type { RunUsage, Usage } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { Tracing } from '../../tools/telemetry/tracing.ts';
import { type Budgets, underBudgets } from '../budgets/budgets.ts';
import type { EarlierEvents } from '../journal/earlier-events.ts';
import type { RecordedCalls } from '../journal/recorded-calls.ts';
import { type RunLog, runLog } from '../journal/run-log.ts';
import { workFinished } from '../journal/run-progress.ts';
import type { Metrics } from '../metrics.ts';
import type { QueuedRun, RunQueue } from '../queue/run-queue.ts';
import { startDeadline, waitForSlot } from '../queue/time-limits.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import { type AcceptedRun, checkpointMetadata, delaySeconds, runEntryBody } from './accepted-run.ts';
import type { EndedRun, StoredEnd } from './ended-run.ts';
import { runEnding } from './ending.ts';
import { execute } from './execution/execute.ts';
import type { Executed, ExecuteParts } from './execution/execution.ts';
import type { LoopWatch } from './loop-watch.ts';
import { tokenMeter } from './meter.ts';
import {
  answersInterrupt,
  continuesRun,
  outputsBefore,
  refuseWrongInterrupt,
  withoutInterrupt,
} from './open-interrupt.ts';
import { runGone, shuttingDown } from './run-failure.ts';
import { runMeasures } from './run-measures.ts';
import type { StoreOf } from './store/run-store.ts';
import type { ThreadActivity } from './thread-activity.ts';
import { runTracing } from './tracing/run-tracing.ts';
import { type Held, unsuccessfulEnd } from './unsuccessful-end.ts';

export interface ActiveRun {
  owner: string;
  log: RunLog;
  /** The run whose interrupt this one answers. */
  answers: string | undefined;
  /** What its agents have done and used so far. */
  progress(): { agents: AgentReport[]; usage: RunUsage };
  ended: Promise<EndedRun>;
  /** Ends the run for good. */
  cancel(reason?: StopReason): void;
  /** Its lease is over: it ends here, and goes on where it is claimed. */
  lose(): void;
  /** The service stops: the run stays as it is and continues at the next start. */
  stop(): void;
}

export interface RunnerParts {
  state: State & { budgets: BudgetStore };
  log: Logger;
  /** Runs of this process that have not ended, by id. */
  active: Map<string, ActiveRun>;
  activity: ThreadActivity;
  loop: LoopWatch;
  turns: RunQueue;
  queueSeconds: number;
  metrics: Metrics;
  recordedCalls: RecordedCalls;
  /** How a run ends that another process has. */
  endElsewhere: StoredEnd;
  storeOf: StoreOf;
  tracing?: Tracing | undefined;
  budgets: Budgets;
  parts: ExecuteParts;
}

export interface Start {
  run: AcceptedRun;
  threadKey: string;
  /** Its turn; if it has already come, the claim itself. */
  turn: QueuedRun | Claim;
  /** Gives the right to end it while it waits. */
  lease: Lease;
  /** What runs it, or why it can no longer run. */
  workflow: RunnableWorkflow | SkeinError;
  /** The events that an earlier process has stored. */
  earlier?: EarlierEvents | undefined;
}

/** Returns the function that starts an accepted run. */
export function runner(runnerParts: RunnerParts) {
  const { state, log, active, activity, turns, queueSeconds, metrics, recordedCalls, storeOf, parts } =
    runnerParts;
  const { endElsewhere, loop, tracing, budgets } = runnerParts;

  return function start({ run, threadKey, turn, lease, workflow, earlier }: Start): ActiveRun {
    const { runId, threadId, request } = run;
    const stopper = new AbortController();
    const { signal } = stopper;
    let held: Held = { lease, running: false };
    const meter = tokenMeter(request.tokenBudget, run.usage);
    const standing = underBudgets(meter, budgets.of(run.owner, run.workflow), state.budgets);
    const journal = runLog((...asked) => state.events.append(held.lease, ...asked), {
      earlier,
      atOnce: request.protocol !== undefined,
      isFollowed: () => state.coordination.isFollowed(runId),
    });
    const kept = recordedCalls.open(runId, threadKey);
    const measures = runMeasures(metrics, run);
    const trace = tracing && runTracing(tracing, { run, runs: state.runs, usage: meter.usage });
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

    const { over } = unsuccessfulEnd({
      ...{ state, turns, journal, ending, log, run, turn, deactivate },
      held: () => held,
      released: () => released,
      rollback: () => rollback,
    });
    if (!earlier?.last) journal.emit({ kind: 'run', body: runEntryBody(run) });
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
      lose: () => stopper.abort(new LeaseLost(held.lease)),
      stop() {
        released = shuttingDown(runId);
        ending.giveUp();
        stopper.abort(released);
      },
    };
    active.set(runId, self);
    activity.runStarted(threadKey, self);
    return self;

    /** This process may have claimed it again, after its lease was over. */
    function deactivate(): void {
      if (active.get(runId) === self) active.delete(runId);
    }

    function take(claim: Claim): void {
      if (held.running) return;
      const isNew = claim.lease.number !== held.lease.number;
      held = { lease: claim.lease, running: true, thread: claim.thread };
      if (isNew) journal.claimed();
    }

    async function live(): Promise<EndedRun> {
      let timer: ReturnType<typeof setTimeout> | undefined;
      try {
        const claim =
          'lease' in turn ? turn : await waitForSlot(turn.claimed, queueSeconds + delaySeconds(run), signal);
        take(claim);
        measures.claimed(claim);
        ending.begin();
        timer = startDeadline(stopper, request.deadlineSeconds);
        const executed = await (trace
          ? trace.within(claim, () => execution(claim))
          : execution(claim)
        ).finally(standing.end);
        await ending.succeed(executed, held);
        trace?.succeeded(executed.result);
        deactivate();
        const { result, values } = executed;
        return { ...run, usage: meter.usage, result, values };
      } catch (error) {
        const failure = await over(error);
        trace?.over(failure, released !== undefined);
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
      if (answersInterrupt(request) && isTriedAgain && !checkpoint)
        await state.threads.rewindInterrupt(threadKey, lease);
      const head = checkpoint ?? request.checkpointId ?? thread.head;
      const metadata = checkpointMetadata(run);
      const saver = state.saverOf({ lease, threadKey, threadId, head, emit, metadata });
      held.saver = saver;
      const resumes = checkpoint !== null || continuesRun(request);
      const { executions, record } = journal;
      const causesOf = taskCauses(saver, { resumes });
      const reports = { emit, causesOf, onEnd: called, working: new Map(), said: new Set() };
      const traced = trace?.context() ?? { traceparent: request.traceparent };
      const context = { ...reports, executions, record, signal, meter: standing.meter, ...traced };
      return execute(parts, {
        ...{ run, thread, saver, workflow, context, journal },
        store: storeOf(thread.owner, workflow.adopted?.storeIndex),
        checkpoint: checkpoint ?? undefined,
        before: await outputsBefore(state.runs, thread.owner, request),
      });
    }

    function emit(entry: NewEntry): void {
      loop.note(run, entry);
      measures.note(entry);
      trace?.note(entry);
      journal.emit(entry);
      // After a crash, usage is known from the events, except what belongs to no agent's work: a summary. If this write is
      // lost, so is the work, or the run's end has it.
      if (workFinished(entry) && !same(meter.usage, journal.reported))
        state.coordination.spend(held.lease, meter.usage).catch(() => {});
    }

    function called(...[call, by]: Parameters<typeof kept.add>): void {
      metrics.modelCalled(call);
      kept.add(call, by);
    }
  };
}

/** A run that took the process down with it must not do so at every start. */
const MOST_DEATHS = 3;

function same(a: Usage, b: Usage): boolean {
  return a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}

/**
 * A run in this process, from its acceptance to its end. It is queued, executes, and leaves this process in one of three
 * ways: its end is stored, it is released for the next start, or another process claims it and its lease is lost.
 */
import type { Logger } from 'pino';
import { type Lease, LeaseLost } from '../../state/cluster/lease.ts';
import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Claim, StopReason } from '../../state/threads/coordination.ts';
import type { AgentReport } from '../../state/threads/run-trace.ts';
import type { RunUsage } from '../../state/threads/runs.ts';
import type { BudgetStore } from '../../state/usage/budgets.ts';
import type { Tracing } from '../../tools/telemetry/tracing.ts';
import { type Budgets, underBudgets } from '../budgets/budgets.ts';
import type { EarlierEvents } from '../journal/earlier-events.ts';
import type { RecordedCalls } from '../journal/recorded-calls.ts';
import { type RunLog, runLog } from '../journal/run-log.ts';
import type { Metrics } from '../metrics.ts';
import type { QueuedRun, RunQueue } from '../queue/run-queue.ts';
import { startDeadline, waitForSlot } from '../queue/time-limits.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import { type AcceptedRun, delaySeconds, runEntryBody } from './accepted-run.ts';
import type { EndedRun, StoredEnd } from './ending/ended-run.ts';
import { runEnding } from './ending/ending.ts';
import { runGone, shuttingDown } from './ending/run-failure.ts';
import { unsuccessfulEnd } from './ending/unsuccessful-end.ts';
import type { ExecuteClaim } from './execution/execute-claim.ts';
import type { Held } from './held.ts';
import { tokenMeter } from './meter.ts';
import type { LoopWatch } from './observation/loop-watch.ts';
import { runMeasures } from './observation/run-measures.ts';
import { runObservers } from './observation/run-observers.ts';
import { runTracing } from './observation/run-tracing.ts';
import type { ThreadActivity } from './thread-activity.ts';

export interface ActiveRun {
  owner: string;
  log: RunLog;
  /** The run whose interrupt this one answers. */
  answers: string | undefined;
  /** What its agents have done so far, and the tokens that they have used. */
  progress(): { agents: AgentReport[]; usage: RunUsage };
  ended: Promise<EndedRun>;
  /** Cancels the run; it can't continue afterwards. */
  cancel(reason?: StopReason): void;
  /** Its lease has expired: it stops here, and continues in the process that claims it. */
  lose(): void;
  /** Stops the run because the service stops; it continues at the next start. */
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
  /** Waits for the end of a run that another process executes. */
  endElsewhere: StoredEnd;
  tracing?: Tracing | undefined;
  budgets: Budgets;
  execute: ExecuteClaim;
  /** Runs wait for this before they start and before their ends are stored. */
  pace(): Promise<void>;
}

export interface Start {
  run: AcceptedRun;
  threadKey: string;
  /** Its place in the run queue, or the claim if the run can start now. */
  turn: QueuedRun | Claim;
  /** Required to end the run while it is queued. */
  lease: Lease;
  /** The workflow, or the error if it can no longer run. */
  workflow: RunnableWorkflow | SkeinError;
  /** The log that an earlier process stored. */
  earlier?: EarlierEvents | undefined;
}

/** Returns the function that starts an accepted run. */
export function runner(runnerParts: RunnerParts) {
  const { state, log, active, activity, turns, queueSeconds, metrics, recordedCalls } = runnerParts;
  const { endElsewhere, loop, tracing, budgets, execute, pace } = runnerParts;

  return function start({ run, threadKey, turn, lease, workflow, earlier }: Start): ActiveRun {
    const { runId, request } = run;
    const stopper = new AbortController();
    const { signal } = stopper;
    let held: Held = { lease, running: false };
    const meter = tokenMeter(request.tokenBudget, run.usage);
    const standing = underBudgets(meter, budgets.of(run.owner, run.workflow), state.budgets);
    const journal = runLog((...batches) => state.events.append(held.lease, ...batches), {
      earlier,
      isQueued: 'claimed' in turn,
      atOnce: request.protocol !== undefined,
      isFollowed: () => state.coordination.isFollowed(runId),
    });
    const measures = runMeasures(metrics, run);
    const trace = tracing && runTracing(tracing, { run, runs: state.runs, usage: meter.usage });
    const observers = runObservers({
      ...{ run, threadKey, journal, loop, measures, metrics, trace, recordedCalls, log },
      usage: meter.usage,
      storeUsage: (usage) => state.coordination.spend(held.lease, usage),
    });
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
    /** Set when the service stops the run. */
    let released: SkeinError | undefined;
    const stopping = Promise.withResolvers<never>();
    // Only awaited by a run that ends while it is queued.
    stopping.promise.catch(() => {});

    const { over } = unsuccessfulEnd({
      ...{ state, turns, journal, ending, log, run, turn, deactivate },
      held: () => held,
      released: () => released,
      stopping: stopping.promise,
      rollback: () => rollback,
    });
    if (!earlier?.last) journal.emit({ kind: 'run', body: runEntryBody(run) });
    // Subscribe before anything else waits for the claim: a run that is cancelled then must already hold its new lease.
    if ('claimed' in turn) turn.claimed.then(take, () => {});
    const ended = live();
    // An unhandled rejection would end the process. The error is stored with the run, so it can be ignored here.
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
        stopping.reject(released);
      },
    };
    active.set(runId, self);
    activity.runStarted(threadKey, self);
    return self;

    /** Keeps a newer entry: this process may have claimed the run again after its lease expired. */
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
        await pace();
        measures.claimed(claim);
        ending.begin();
        timer = startDeadline(stopper, request.deadlineSeconds);
        if (claim.stop) cancel(claim.stop);
        const work = () =>
          execute({
            ...{ run, threadKey, claim, workflow, journal, observers, trace, signal },
            meter: standing.meter,
            hold: (part) => Object.assign(held, part),
          });
        const executed = await (trace ? trace.within(claim, work) : work()).finally(standing.end);
        await pace();
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
  };
}

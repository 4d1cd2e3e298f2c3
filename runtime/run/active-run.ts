/**
 * A run in this process, from its acceptance to its end. It is queued, executes, and leaves this process in one of three
 * ways: its end is stored, it is released for the next start, or another process claims it and its lease is lost.
 */
import type { Logger } from 'pino';
import { taskCauses } from '../../graphs/adoption/task-causes.ts';
import { type Lease, LeaseLost } from '../../state/cluster/lease.ts';
import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Claim, StopReason } from '../../state/threads/coordination.ts';
import type { NewEntry } from '../../state/threads/events.ts';
import type { AgentReport } from '../../state/threads/run-trace.ts';
import type { RunUsage, Usage } from '../../state/threads/runs.ts';
import type { BudgetStore } from '../../state/usage/budgets.ts';
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
import { pacer } from './pacer.ts';
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
  storeOf: StoreOf;
  tracing?: Tracing | undefined;
  budgets: Budgets;
  parts: ExecuteParts;
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
  const { state, log, active, activity, turns, queueSeconds, metrics, recordedCalls, storeOf, parts } =
    runnerParts;
  const { endElsewhere, loop, tracing, budgets } = runnerParts;
  const [paceStart, paceEnd] = [pacer(), pacer()];

  return function start({ run, threadKey, turn, lease, workflow, earlier }: Start): ActiveRun {
    const { runId, threadId, request } = run;
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
    const recorder = recordedCalls.open(runId, threadKey);
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
        await paceStart();
        measures.claimed(claim);
        ending.begin();
        timer = startDeadline(stopper, request.deadlineSeconds);
        const executed = await (trace
          ? trace.within(claim, () => execution(claim))
          : execution(claim)
        ).finally(standing.end);
        await paceEnd();
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
      if (attempt.deaths.count >= MAX_DEATHS) throw new SkeinError('RUN_CRASHED');
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
      const reports = { emit, causesOf, onEnd: called, working: new Map(), reported: new Set() };
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
      // After a crash, usage is computed from the events. They lack the calls that belong to no agent, such as a summary,
      // so that usage is written separately. If this write fails, the run's end or another attempt stores the usage.
      if (workFinished(entry) && !same(meter.usage, journal.reported))
        state.coordination.spend(held.lease, meter.usage).catch(() => {});
    }

    function called(...[call, by]: Parameters<typeof recorder.add>): void {
      metrics.modelCalled(call);
      recorder.add(call, by);
    }
  };
}

/** A run that crashed the process this many times fails with RUN_CRASHED instead of starting again. */
const MAX_DEATHS = 3;

function same(a: Usage, b: Usage): boolean {
  return a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}

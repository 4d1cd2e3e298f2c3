/** The runtime: accepts turns, executes each on its thread, and stores its end in one transaction. It is independent of HTTP. */
import type { Logger } from 'pino';
import type { DataSources } from '../graphs/authoring/run/data-sources.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { SkeinError } from '../state/errors.ts';
import type { State } from '../state/state.ts';
import type { Archive } from '../state/threads/archive.ts';
import type { ThreadTtl } from '../state/threads/threads.ts';
import type { BudgetStore } from '../state/usage/budgets.ts';
import type { UsageStore } from '../state/usage/usage-store.ts';
import type { Models } from '../tools/models/models.ts';
import type { Tracing } from '../tools/telemetry/tracing.ts';
import { standingBudgets } from './budgets/budgets.ts';
import type { BudgetOptions } from './budgets/options.ts';
import { acceptances } from './intake/acceptance.ts';
import { intake } from './intake/intake.ts';
import type { ProtocolRunRequest, ProtocolTurn } from './intake/protocol-run.ts';
import type { ResumeRequest, Turn, TurnRequest } from './intake/turn.ts';
import { type RecordedCall, recordedCalls } from './journal/recorded-calls.ts';
import type { Metrics } from './metrics.ts';
import type { LimitsOptions, MemoryOptions } from './options.ts';
import { runQueue } from './queue/run-queue.ts';
import { slots } from './queue/slots.ts';
import { type ActiveRun, runner } from './run/active-run.ts';
import { type Cancellation, cancellation } from './run/cancellation.ts';
import { drainRuns } from './run/drain-runs.ts';
import { storedEnds } from './run/ending/ended-run.ts';
import { runGone } from './run/ending/run-failure.ts';
import { deferRunTrees } from './run/execution/deferred-run-tree.ts';
import { claimExecution } from './run/execution/execute-claim.ts';
import { followupQuestions } from './run/execution/followups.ts';
import { turnMemory } from './run/execution/memory.ts';
import { type Following, following } from './run/following/following.ts';
import { namingRun, remoteRuns } from './run/following/remote-runs.ts';
import { watchLoop } from './run/observation/loop-watch.ts';
import { pacer } from './run/pacer.ts';
import { recoverRuns, takeover } from './run/recovery.ts';
import { type StoreOf, storesOf } from './run/store/run-store.ts';
import { threadActivity } from './run/thread-activity.ts';
import type { StoreIndex, StoreOptions } from './store-options.ts';
import { type Deletion, threadDeletion } from './threads/deletion.ts';
import { type TrialRuns, trialRuns } from './trial-runs.ts';
import type { Registry } from './workflows/registry.ts';
import type { OpenSandbox } from './workflows/sandbox.ts';

export interface RuntimeParts {
  state: State & { budgets: BudgetStore; usage: Pick<UsageStore, 'add'> };
  archive: Archive;
  registry: Registry;
  models: Models;
  prompts: Prompts;
  sources: DataSources;
  openSandbox: OpenSandbox;
  limits: LimitsOptions;
  budgets: readonly BudgetOptions[];
  memory: MemoryOptions;
  store: StoreOptions;
  /** Embeds the items of the store; undefined: queries don't rank items. */
  storeIndex?: StoreIndex | undefined;
  /** The time to live of threads that runs of LangGraph's protocol create without one. */
  threadTtl?: ThreadTtl | undefined;
  metrics: Metrics;
  tracing?: Tracing | undefined;
  log: Logger;
}

export interface Runtime extends Deletion, Cancellation, Following, TrialRuns {
  /**
   * Throws OVERLOADED if `turn`, `resume` and `protocolRun` would throw it for any request. It is much cheaper, so that
   * rejected requests leave the processor to the accepted turns.
   */
  refuseIfFull(): void;
  /** Resolves when the turn is accepted. If it throws, nothing is stored. */
  turn(request: TurnRequest): Promise<Turn>;
  /** The same for a person's answer to an interrupted thread. */
  resume(request: ResumeRequest): Promise<Turn>;
  /** The same for a run of LangGraph's protocol. */
  protocolRun(request: ProtocolRunRequest): Promise<ProtocolTurn>;
  /**
   * Resolves when earlier acceptances are durable, so that they survive a crash of the machine and not only of this
   * process. `runId`: the accepted run. Throws STATE_UNAVAILABLE, which names the run if it continues, or says that a crash of
   * the database has lost it.
   */
  durable(runId?: string): Promise<void>;
  /** Notifies followers of a thread that its state was changed outside of a run. */
  threadChanged(threadKey: string): void;
  /**
   * The recorded model calls of a run, in the order in which they ended. `kept`: false if they are no longer recorded.
   * Throws RUN_NOT_FOUND.
   */
  calls(owner: string, runId: string): Promise<{ calls: RecordedCall[]; leftOut: number; kept: boolean }>;
  /** Continues the runs that an earlier process left, and opens the intake. Returns their number. */
  recover(): Promise<number>;
  /** The caller's store, or the shared one. */
  storeOf: StoreOf;
  /** Rejects new turns, waits for the running ones, and after `milliseconds` stops the rest; they continue at the next start. */
  drain(milliseconds: number): Promise<void>;
  counts(): { running: number; waiting: number };
}

// Created once: the stack trace of a new error would be a noticeable part of the time that a rejection takes.
const QUEUE_FULL = new SkeinError('OVERLOADED', { retryAfter: 1 });

export function createRuntime(parts: RuntimeParts): Runtime {
  const { state, registry, limits, threadTtl, log } = parts;
  deferRunTrees();
  const runSlots = slots(limits.concurrent_runs);
  const queue = runQueue({
    coordination: state.coordination,
    slots: runSlots,
    limits: { perThread: limits.queued_turns_per_thread, queued: limits.queued_runs },
    takeOver: (claim) => adopt(claim),
    log,
  });
  const active = new Map<string, ActiveRun>();
  const activity = threadActivity();
  const loop = watchLoop(log, parts.metrics.loopDelayed);
  const recorded = recordedCalls();
  const storeOf = storesOf(state.items, parts.store, parts.storeIndex);
  const budgets = standingBudgets(parts.budgets, state.budgets);
  const storedEnd = storedEnds({ state, registry, archive: parts.archive });
  const away = remoteRuns(state, storedEnd);
  const start = runner({
    state,
    log,
    active,
    activity,
    loop,
    turns: queue,
    queueSeconds: limits.queue_seconds,
    metrics: parts.metrics,
    tracing: parts.tracing,
    recordedCalls: recorded,
    endElsewhere: away.ended,
    budgets,
    execute: claimExecution({
      state,
      storeOf,
      parts: {
        models: parts.models,
        memory: turnMemory({ options: parts.memory, prompts: parts.prompts }),
        followups: followupQuestions(parts.prompts),
        recursionLimit: limits.recursion,
        sources: parts.sources,
      },
    }),
    pace: pacer(),
  });
  const adopt = takeover({ state, registry, start, log });
  const unwatch = state.coordination.watch((hint) => {
    if (hint.kind === 'stop') active.get(hint.runId)?.cancel(hint.reason);
    else if (hint.kind === 'lost') active.get(hint.runId)?.lose();
    else if (hint.kind === 'followed') active.get(hint.runId)?.log.followed();
    else if (hint.kind === 'ready') queue.claim(true);
    else if (hint.kind === 'elsewhere') queue.claimedElsewhere(hint.runId);
    else away.onHint(hint);
  });
  const accepting = intake({
    ...{ registry, limits, threads: state.threads, checkpoints: parts.archive.checkpoints },
    accept: acceptances({
      registry,
      limits,
      turns: queue,
      active,
      start,
      threadTtl,
      state,
      budgets,
      ends: away.ended,
    }),
  });
  const deletion = threadDeletion({
    archive: parts.archive,
    coordination: state.coordination,
    active,
    recordedCalls: recorded,
  });
  const trials = trialRuns({
    ...{ ...parts, budgets, refuseUnready: accepting.refuseUnready },
    slots: { request: queue.requestSlot, waiting: runSlots.waiting, size: runSlots.size },
  });
  const followed = following({ state, archive: parts.archive, active, activity, remoteRuns: away });

  function closeNotifications(): void {
    unwatch();
    away.close();
    activity.close();
  }

  return {
    turn: accepting.turn,
    resume: accepting.resume,
    protocolRun: accepting.protocolRun,
    async durable(runId) {
      const isStored = await state.durable(runId).catch((error: unknown) => {
        throw runId === undefined ? error : namingRun(error, runId);
      });
      if (runId !== undefined && !isStored) throw runGone(runId);
    },
    ...followed,
    threadChanged: activity.changed,
    async calls(owner, runId) {
      await followed.run(owner, runId);
      const known = recorded.of(runId);
      return known ? { ...known, kept: true } : { calls: [], leftOut: 0, kept: false };
    },
    dryRun: trials.dryRun,
    replay: trials.replay,
    sendCall: trials.sendCall,
    ...cancellation({ state, active, remoteRuns: away }),
    async recover() {
      const recovered = await recoverRuns({ state, registry, turns: queue, start, log });
      accepting.open();
      return recovered;
    },
    async drain(milliseconds) {
      await drainRuns({ intake: accepting, active, trials, queue, closeNotifications }, milliseconds);
      loop.stop();
      await deletion.settled();
    },
    storeOf,
    refuseIfFull() {
      // With a shared state, this process knows only its own part of the queue.
      if (!state.shared && queue.isFull()) throw QUEUE_FULL;
    },
    counts: () => ({
      running: runSlots.inUse(),
      waiting: queue.waiting() + runSlots.waiting(),
    }),
    expireThread: deletion.expireThread,
    async deleteThread(owner, threadId, options) {
      accepting.refuseUnready();
      await deletion.deleteThread(owner, threadId, options);
    },
  };
}

/** Accepts turns: the state accepts or rejects each turn, then an accepted turn starts or is queued. */

import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Acceptance, Admission } from '../../state/threads/coordination.ts';
import type { ThreadTtl } from '../../state/threads/threads.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { LimitsOptions } from '../options.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { ActiveRun, Start } from '../run/active-run.ts';
import type { StoredEnd } from '../run/ending/ended-run.ts';
import { waitsForPerson } from '../run/refusals.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import type { Registry } from '../workflows/registry.ts';
import { type CheckedGraphRequest, checkNodes, ownUpdate } from './graph-request.ts';
import { type RequestedRun, requestedRun } from './new-run.ts';
import { type ProtocolRunRequest, type ProtocolTurn, requestedProtocolRun } from './protocol-run.ts';
import { resumingDeletedRun, resumingRun } from './resuming-run.ts';
import { ThreadMoved } from './thread-moved.ts';
import type { ResumeRequest, Turn, TurnRequest } from './turn.ts';

export interface AcceptanceParts {
  state: State;
  registry: Registry;
  limits: LimitsOptions;
  turns: RunQueue;
  active: Map<string, ActiveRun>;
  start(started: Start): ActiveRun;
  budgets: Budgets;
  /** Waits for the end of a run that is not active in this process. */
  ends: StoredEnd;
  /** The time to live of threads that runs of LangGraph's protocol create without one. */
  threadTtl?: ThreadTtl | undefined;
}

interface Entry {
  strategy: Admission['strategy'];
  idempotency?: TurnRequest['idempotency'];
  workflow: RunnableWorkflow;
}

export interface Acceptances {
  turn(request: TurnRequest, graph: CheckedGraphRequest, workflow: RunnableWorkflow): Promise<Turn>;
  resume(request: ResumeRequest): Promise<Turn>;
  protocolRun(request: ProtocolRunRequest, workflow: RunnableWorkflow): Promise<ProtocolTurn>;
}

export function acceptances(parts: AcceptanceParts): Acceptances {
  const { state, registry, limits, turns, active, start, budgets, ends, threadTtl } = parts;

  async function enter(run: RequestedRun, { strategy, idempotency, workflow }: Entry): Promise<Turn> {
    const known = await underBudget(run, idempotency);
    if (known) return repeated(run.owner, known);
    const { acceptance, ...waiting } = await turns.accept({ ...run, idempotency }, strategy);
    if (acceptance.outcome === 'repeated') return repeated(run.owner, acceptance);
    if (acceptance.outcome !== 'accepted') throw refusal(acceptance, limits);
    const { threadKey, lease, claim } = acceptance;
    const { ended, cancel } = start({ run, threadKey, turn: claim ?? waiting, lease, workflow });
    const { runId, threadId, messageId } = run;
    return { runId, threadId, messageId, replayed: false, ended, cancel };
  }

  /** Throws BUDGET_EXCEEDED if a budget is used up, unless the idempotency key names an earlier run: then returns that run. */
  async function underBudget(
    { owner, workflow }: RequestedRun,
    idempotency: Entry['idempotency'],
  ): Promise<RepeatedRun | undefined> {
    try {
      await budgets.of(owner, workflow)?.refuseUsedUp();
    } catch (error) {
      const before = idempotency && (await state.coordination.findByIdempotencyKey(owner, idempotency));
      if (before?.outcome === 'repeated') return before;
      throw error;
    }
  }

  /** A repeated request does not own the run: if its caller disconnects, the run is not cancelled. */
  function repeated(owner: string, { runId, threadId, messageId }: RepeatedRun): Turn {
    // The run isn't active if another request is still accepting it.
    const ended = active.get(runId)?.ended ?? ends(owner, runId);
    ended.catch(() => {});
    return { runId, threadId, messageId, replayed: true, ended, cancel: () => {} };
  }

  return {
    turn(request, graph, workflow) {
      const { strategy, idempotency } = request;
      return enter(requestedRun(request, graph, workflow, limits), { strategy, idempotency, workflow });
    },
    async protocolRun(request, workflow) {
      const { run, strategy } = await requestedProtocolRun(request, workflow, limits);
      const { idempotency } = request;
      return { ...(await enter({ ...run, threadTtl }, { strategy, idempotency, workflow })), run };
    },
    async resume(request) {
      const { owner, idempotency } = request;
      // Read the thread before the key: if another server answers the same request in between, the key is found.
      const thread = await state.threads.find(owner, request.threadId);
      const before = idempotency && (await state.coordination.findByIdempotencyKey(owner, idempotency));
      if (before?.outcome === 'repeated') return repeated(owner, before);
      if (before) throw refusal(before, limits);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      const { interrupt } = thread;
      if (!interrupt) throw new SkeinError('NOT_INTERRUPTED');
      const interrupted = await state.runs.find(owner, interrupt.runId);
      const workflow = stillThere(registry, interrupted?.workflow ?? thread.workflow);
      const own = { ...request, update: ownUpdate(request.update, workflow) };
      const waiting = { ...thread, interrupt };
      const run = interrupted
        ? resumingRun(own, waiting, interrupted)
        : resumingDeletedRun(own, waiting, workflow, limits);
      checkNodes('goto', request.goto, workflow);
      checkNodes('interrupt_before', request.interruptBefore, workflow);
      checkNodes('interrupt_after', request.interruptAfter, workflow);
      // Never queue an answer behind another turn, because it could then answer a later question.
      return enter(run, { strategy: 'reject', idempotency, workflow });
    },
  };
}

type RepeatedRun = Extract<Acceptance, { outcome: 'repeated' }>;
type Refused = Exclude<Acceptance, { outcome: 'accepted' | 'repeated' }>;

function refusal(refused: Refused, limits: LimitsOptions): Error {
  switch (refused.outcome) {
    case 'mismatch':
      return new SkeinError('IDEMPOTENCY_MISMATCH');
    case 'closing':
      return new SkeinError('THREAD_BUSY', { detail: 'The thread is being deleted' });
    case 'busy':
      return new SkeinError('THREAD_BUSY', { detail: 'A turn is running on this thread' });
    case 'full':
      if (refused.of === 'all') return new SkeinError('OVERLOADED', { retryAfter: 1 });
      return new SkeinError('THREAD_BUSY', {
        detail: `${limits.queued_turns_per_thread} turns are already queued on this thread`,
      });
    case 'interrupted':
      return waitsForPerson(refused.value);
    case 'answered':
      return new SkeinError('NOT_INTERRUPTED');
    case 'moved':
      return new ThreadMoved();
  }
}

function stillThere(registry: Registry, name: string): RunnableWorkflow {
  if (registry.find(name)?.graph) return registry.runnable(name);
  throw new SkeinError('WORKFLOW_CHANGED', { detail: `The workflow '${name}' no longer exists` });
}

/** Takes a turn on: a place in its thread's line, then the run on disk, then its start. */
import { SkeinError } from '../../state/errors.ts';
import type { Acceptance } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { LimitsOptions } from '../options.ts';
import { type Lines, lineOf, type Place } from '../queue/thread-queue.ts';
import type { ActiveRun, Start } from '../run/active-run.ts';
import { waitsForPerson } from '../run/refusals.ts';
import type { Registry, RunnableWorkflow } from '../workflows/registry.ts';
import { type AskedRun, askedRun, resumingRun } from './new-run.ts';
import type { ResumeRequest, Turn, TurnRequest } from './turn.ts';

export interface AcceptanceParts {
  state: State;
  registry: Registry;
  limits: LimitsOptions;
  line: Lines;
  active: Map<string, ActiveRun>;
  start(started: Start): ActiveRun;
}

interface Entry {
  strategy: TurnRequest['strategy'];
  idempotency?: TurnRequest['idempotency'];
  workflow: RunnableWorkflow;
}

export interface Acceptances {
  turn(request: TurnRequest, workflow: RunnableWorkflow): Promise<Turn>;
  resume(request: ResumeRequest): Promise<Turn>;
}

export function acceptances(parts: AcceptanceParts): Acceptances {
  const { state, registry, limits, line, active, start } = parts;

  async function enter(run: AskedRun, { strategy, idempotency, workflow }: Entry): Promise<Turn> {
    const lineKey = lineOf(run.owner, run.threadId);
    // What waits behind a turn cannot know yet whether the thread will wait for a person.
    const evenInterrupted = strategy === 'supersede' || line.isBusy(lineKey);
    const place = line.enter(lineKey, { reject: strategy === 'reject' });
    const starts = place.started();
    const { thread } = await write(place, { ...run, starts, evenInterrupted, idempotency });
    if (strategy === 'supersede') supersedeOn(lineKey);
    const begun = starts ? { thread } : {};
    const { ended, cancel } = start({
      run,
      lineKey,
      threadKey: thread.key,
      place,
      workflow,
      ...begun,
    });
    const { runId, threadId, messageId } = run;
    return { runId, threadId, messageId, replayed: false, ended, cancel };
  }

  /** Writes the run; its place is given up where it is refused. */
  async function write(
    place: Place,
    run: Parameters<State['runs']['accept']>[0],
  ): Promise<Extract<Acceptance, { outcome: 'accepted' }>> {
    try {
      const acceptance = await state.runs.accept(run);
      if (acceptance.outcome === 'interrupted') throw waitsForPerson(acceptance.value);
      if (acceptance.outcome === 'answered') throw new SkeinError('NOT_INTERRUPTED');
      return acceptance;
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /** The newest takes the place of the one that runs, and of one that was to take its place. */
  function supersedeOn(lineKey: string): void {
    const all = [...active.values()].filter((run) => run.lineKey === lineKey);
    for (const run of all) if (run.running || run.supersedes) run.cancel();
  }

  return {
    turn(request, workflow) {
      const { strategy, idempotency } = request;
      return enter(askedRun(request, workflow.name, limits), { strategy, idempotency, workflow });
    },
    async resume(request) {
      const thread = await state.threads.find(request.owner, request.threadId);
      if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
      const interrupted = thread.interrupt && (await state.runs.find(request.owner, thread.interrupt.runId));
      const run = interrupted && resumingRun(request, thread, interrupted);
      if (!run) throw new SkeinError('NOT_INTERRUPTED');
      const workflow = stillThere(registry, run.workflow);
      // An answer is for this question: behind another turn it might meet a later one.
      return enter(run, { strategy: 'reject', idempotency: request.idempotency, workflow });
    },
  };
}

function stillThere(registry: Registry, name: string): RunnableWorkflow {
  if (registry.find(name)?.graph) return registry.runnable(name);
  throw new SkeinError('WORKFLOW_CHANGED', { detail: `The workflow '${name}' is no longer there` });
}

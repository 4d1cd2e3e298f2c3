/** Cancels a run: aborts it where it runs or waits, drops its interrupt where it waits for a person. */
import { SkeinError } from '../../state/errors.ts';
import type { Run } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import { type Lines, lineOf } from '../queue/thread-queue.ts';
import type { ActiveRun } from './active-run.ts';

export interface CancellationParts {
  state: State;
  line: Lines;
  active: Map<string, ActiveRun>;
}

/** Gives the function that resolves with the run once it has settled; a finished one is not changed. */
export function cancellation({ state, line, active }: CancellationParts) {
  return async function cancel(owner: string, runId: string): Promise<Run> {
    const run = await find(owner, runId);
    await settle([active.get(runId)]);
    if (run.status === 'interrupted') await drop(run);
    return find(owner, runId);
  };

  async function find(owner: string, runId: string): Promise<Run> {
    const run = await state.runs.find(owner, runId);
    if (!run) throw new SkeinError('RUN_NOT_FOUND');
    return run;
  }

  /** In the thread's line, so that no turn builds on what is dropped. Whoever is answering it is cancelled too. */
  async function drop({ runId, owner, threadId, threadKey }: Run): Promise<void> {
    await settle([...active.values()].filter(({ answers }) => answers === runId));
    const place = line.between(lineOf(owner, threadId));
    try {
      await place.ready;
      const thread = await state.threads.byKey(threadKey);
      if (thread?.interrupt?.runId === runId) await state.threads.dropInterrupt(threadKey);
    } finally {
      place.leave();
    }
  }
}

async function settle(runs: (ActiveRun | undefined)[]): Promise<void> {
  for (const run of runs) run?.cancel();
  await Promise.allSettled(runs.map((run) => run?.ended));
}

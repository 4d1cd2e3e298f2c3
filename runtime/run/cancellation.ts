/** Cancels a run: asks the process that executes it to stop it, and drops its interrupt if it waits for a person. */

import { isUnavailable, SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { StopReason } from '../../state/threads/coordination.ts';
import type { Run } from '../../state/threads/runs.ts';
import type { ActiveRun } from './active-run.ts';
import type { RemoteRuns } from './following/remote-runs.ts';

export interface CancellationParts {
  state: State;
  active: Map<string, ActiveRun>;
  remoteRuns: RemoteRuns;
}

// A run that is still being accepted isn't active yet, so the lookup is repeated.
const LOOK_AGAIN_MS = 10;
/** How long a cancellation waits for the process that executes the run. */
const ELSEWHERE_MS = 30_000;

export interface Cancellation {
  /** Cancels a run and resolves with it when it has ended; a finished run isn't changed. Throws RUN_NOT_FOUND. */
  cancel(owner: string, runId: string): Promise<Run>;
  /** Stops a run that has not ended, and resolves when it has. Throws RUN_NOT_FOUND. */
  stop(owner: string, runId: string, reason: StopReason): Promise<void>;
}

/** Rethrows errors after which the run may still be unfinished: the response must not say that it has ended. */
function throwUnknown(error: unknown): void {
  if (isUnavailable(error) || (error instanceof SkeinError && error.code === 'SHUTTING_DOWN')) throw error;
}

export function cancellation({ state, active, remoteRuns }: CancellationParts): Cancellation {
  return {
    async cancel(owner, runId) {
      const run = await find(owner, runId);
      if (run.finishedAt === null) await stop([runId]);
      else if (run.status === 'interrupted') await drop(run);
      return find(owner, runId);
    },
    async stop(owner, runId, reason) {
      const run = await find(owner, runId);
      if (run.finishedAt === null) await stop([runId], reason);
    },
  };

  async function find(owner: string, runId: string): Promise<Run> {
    const run = await state.runs.find(owner, runId);
    if (!run) throw new SkeinError('RUN_NOT_FOUND');
    return run;
  }

  async function stop(runIds: string[], reason: StopReason = 'cancel'): Promise<void> {
    const own = runIds.map((runId) => active.get(runId)?.ended);
    await Promise.all(runIds.map((runId) => state.coordination.requestStop(runId, reason)));
    const ends = runIds.map(async (runId, index) => {
      await own[index]?.catch(throwUnknown);
      // The run's end may not be stored yet.
      await remoteRuns.waitForEnd(runId, ELSEWHERE_MS);
    });
    await Promise.all(ends);
  }

  /** Also cancels runs that are answering the interrupt. */
  async function drop({ runId, threadKey }: Run): Promise<void> {
    while (!(await state.threads.dropInterrupt(threadKey, runId))) {
      await stop(await state.runs.answering(threadKey, runId));
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }
}

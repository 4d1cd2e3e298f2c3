/** The stored end of a run, given again. */
import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { EndedRun } from './active-run.ts';

/** Rejects with the error that ended the run, or RUN_NOT_FOUND. */
export async function storedEnd(runs: State['runs'], owner: string, runId: string): Promise<EndedRun> {
  const run = await runs.find(owner, runId);
  if (!run) throw new SkeinError('RUN_NOT_FOUND');
  if (run.error) {
    const { error_code, message, detail } = run.error;
    throw new SkeinError(error_code, { message, detail });
  }
  if (!run.result) throw new SkeinError('INTERNAL_ERROR', { detail: `Run ${runId} has no end` });
  return { ...run, result: run.result };
}

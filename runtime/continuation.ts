/** Continues from the end of a run: on its thread if it is the newest run there, otherwise on a fork. */

import { SkeinError } from '../state/errors.ts';
import type { Archive } from '../state/threads/archive.ts';
import type { Run, Runs } from '../state/threads/runs.ts';
import { ThreadMoved } from './intake/thread-moved.ts';
import type { Turn, TurnRequest } from './intake/turn.ts';
import { ENTRIES } from './journal/entries.ts';
import { lastCheckpoint } from './run/ending/last-checkpoint.ts';
import type { Runtime } from './runtime.ts';
import type { Fork } from './threads/fork.ts';

export interface ContinuationParts {
  runs: Pick<Runs, 'find'>;
  archive: Pick<Archive, 'checkpoints'>;
  fork: Fork;
  runtime: Pick<Runtime, 'turn' | 'follow' | 'deleteThread'>;
}

type Continuing = Omit<TurnRequest, 'threadId' | 'checkpointId' | 'follows'>;

/**
 * A temporary turn always continues on a fork. Throws RUN_NOT_FOUND, or CHECKPOINT_NOT_FOUND if the run failed or its
 * state was deleted by retention.
 */
export type Continue = (request: Continuing, runId: string) => Promise<Turn>;

export function continuation(parts: ContinuationParts): Continue {
  const { runs, fork, runtime } = parts;

  return async (request, runId) => {
    const { owner } = request;
    const previous = await found(owner, runId);
    const onThread = request.temporary ? undefined : await turnOnThread(request, previous);
    if (onThread) return onThread;
    if (previous.finishedAt === null) await settled(owner, runId);
    const checkpointId = await endOf(await found(owner, runId));
    const { threadId } = await fork({ owner, threadId: previous.threadId, checkpointId });
    return runtime.turn({ ...request, threadId }).catch(async (error: unknown) => {
      await runtime.deleteThread(owner, threadId);
      throw error;
    });
  };

  /** Undefined if the thread has a newer turn. */
  async function turnOnThread(request: Continuing, previous: Run): Promise<Turn | undefined> {
    const { runId, threadId, finishedAt } = previous;
    const head = finishedAt === null ? null : await endOf(previous);
    try {
      return await runtime.turn({ ...request, threadId, follows: { runId, head } });
    } catch (error) {
      if (!(error instanceof ThreadMoved)) throw error;
    }
    if (finishedAt !== null) return undefined;
    // The run has ended since it was read, so the condition failed although it may still be the newest run.
    const now = await found(request.owner, runId);
    return now.finishedAt === null ? undefined : turnOnThread(request, now);
  }

  async function settled(owner: string, runId: string): Promise<void> {
    const followed = await runtime.follow(owner, runId, { view: ENTRIES, after: 0 }, { orEnd: true });
    await followed.ended().catch(() => {});
  }

  async function found(owner: string, runId: string): Promise<Run> {
    const run = await runs.find(owner, runId);
    if (!run) throw new SkeinError('RUN_NOT_FOUND');
    return run;
  }

  async function endOf(run: Run): Promise<string> {
    const checkpointId = run.error ? undefined : await lastCheckpoint(parts, run);
    if (checkpointId !== undefined) return checkpointId;
    throw new SkeinError('CHECKPOINT_NOT_FOUND', {
      message: 'The run has no state to continue from',
    });
  }
}

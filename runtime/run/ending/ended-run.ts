/** A run that has ended, and reading its end from the state. */
import { withPersistence } from '../../../graphs/authoring/persistence/lend-persistence.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { Archive } from '../../../state/threads/archive.ts';
import type { Run, RunRequest, TurnResult, Usage } from '../../../state/threads/runs.ts';
import type { Registry } from '../../workflows/registry.ts';
import { lastCheckpoint } from './last-checkpoint.ts';

/** A run that ended without an error, with everything that the caller's response needs. */
export interface EndedRun {
  runId: string;
  threadId: string;
  messageId: string;
  workflow: string;
  request: RunRequest;
  usage: Usage;
  result: TurnResult;
  /** The graph's output; null for a workflow built with `workflow()`. */
  values: unknown;
}

export interface StoredEndParts {
  state: Pick<State, 'runs' | 'checkpointer'>;
  archive: Pick<Archive, 'checkpoints'>;
  registry: Registry;
}

/** Rejects with the error that ended the run, or RUN_NOT_FOUND. */
export type StoredEnd = (owner: string, runId: string) => Promise<EndedRun>;

export function storedEnds({ state, archive, registry }: StoredEndParts): StoredEnd {
  return async (owner, runId) => {
    const run = await state.runs.find(owner, runId);
    if (!run) throw new SkeinError('RUN_NOT_FOUND');
    if (run.error) {
      const { error_code, message, detail } = run.error;
      throw new SkeinError(error_code, { message, detail });
    }
    if (!run.result)
      throw new SkeinError('INTERNAL_ERROR', { detail: `Run ${runId} has ended without a result` });
    return { ...run, result: run.result, values: await valuesOf(run) };
  };

  /** The graph's output, read from the run's last checkpoint; null if that is no longer kept. */
  async function valuesOf(run: Run): Promise<unknown> {
    const { graph, adopted } = registry.find(run.workflow) ?? {};
    if (!graph || !adopted) return null;
    const last = await lastCheckpoint({ archive, runs: state.runs }, run);
    if (last === undefined) return null;
    const copy = withPersistence(graph, { checkpointer: state.checkpointer });
    const config = { configurable: { thread_id: run.threadKey, checkpoint_id: last } };
    const { values } = await copy.getState(config);
    const { outputChannels } = graph;
    if (!Array.isArray(outputChannels) || typeof values !== 'object' || values === null) return values;
    return Object.fromEntries(Object.entries(values).filter(([name]) => outputChannels.includes(name)));
  }
}

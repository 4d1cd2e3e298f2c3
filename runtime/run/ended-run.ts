/** A run that has ended, and how its end is read again from the state. */
import { withPersistence } from '../../graphs/authoring/lend-persistence.ts';
import type { Archive } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Run, RunRequest, TurnResult, Usage } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { Registry } from '../workflows/registry.ts';

/** A run that has ended well: everything that goes into the caller's answer. */
export interface EndedRun {
  runId: string;
  threadId: string;
  messageId: string;
  workflow: string;
  request: RunRequest;
  usage: Usage;
  result: TurnResult;
  /** The graph's output; null for a workflow that is made with `workflow()`. */
  values: unknown;
}

export interface StoredEndParts {
  state: Pick<State, 'runs' | 'checkpointer'>;
  archive: Pick<Archive, 'checkpoints'>;
  registry: Registry;
}

/** Rejects with the error that ended the run, or RUN_NOT_FOUND. */
export type StoredEnd = (owner: string, runId: string) => Promise<EndedRun>;

// Among a run's newest checkpoints, those of its subgraphs may come first.
const PAGE = 50;

export function storedEnds({ state, archive, registry }: StoredEndParts): StoredEnd {
  return async (owner, runId) => {
    const run = await state.runs.find(owner, runId);
    if (!run) throw new SkeinError('RUN_NOT_FOUND');
    if (run.error) {
      const { error_code, message, detail } = run.error;
      throw new SkeinError(error_code, { message, detail });
    }
    if (!run.result) throw new SkeinError('INTERNAL_ERROR', { detail: `Run ${runId} has no end` });
    return { ...run, result: run.result, values: await valuesOf(run) };
  };

  /** The graph's output, read from the run's last checkpoint; null if that is no longer kept. */
  async function valuesOf({ owner, workflow, threadKey, runId, request }: Run): Promise<unknown> {
    const { graph, adopted } = registry.find(workflow) ?? {};
    if (!graph || !adopted) return null;
    const { items } = await archive.checkpoints.list(threadKey, { limit: PAGE }, runId);
    const last = items.find(({ namespace }) => namespace === '');
    if (!last) {
      // The run continued after a stop behind the last node, or asked again: nothing has changed since.
      const before = request.resume && (await state.runs.find(owner, request.resume.runId));
      return before ? valuesOf(before) : null;
    }
    const copy = withPersistence(graph, { checkpointer: state.checkpointer });
    const config = { configurable: { thread_id: threadKey, checkpoint_id: last.checkpointId } };
    const { values } = await copy.getState(config);
    const { outputChannels } = graph;
    if (!Array.isArray(outputChannels) || typeof values !== 'object' || values === null) return values;
    return Object.fromEntries(Object.entries(values).filter(([name]) => outputChannels.includes(name)));
  }
}

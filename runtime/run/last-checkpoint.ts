/** Where a run has left its thread. */
import type { Archive } from '../../state/archive.ts';
import type { Run, Runs } from '../../state/runs.ts';

export interface LastCheckpointParts {
  archive: Pick<Archive, 'checkpoints'>;
  runs: Pick<Runs, 'find'>;
}

// Among a run's newest checkpoints, those of its subgraphs may come first.
const PAGE = 50;

/** The root graph's newest checkpoint of the run; undefined if it is no longer kept. */
export async function lastCheckpoint(
  { archive, runs }: LastCheckpointParts,
  { owner, threadKey, runId, request }: Run,
): Promise<string | undefined> {
  const { items } = await archive.checkpoints.list(threadKey, { limit: PAGE }, runId);
  const last = items.find(({ namespace }) => namespace === '');
  if (last) return last.checkpointId;
  // The run continued after a stop behind the last node, or asked again: nothing has changed since.
  const before = request.resume && (await runs.find(owner, request.resume.runId));
  return before && lastCheckpoint({ archive, runs }, before);
}

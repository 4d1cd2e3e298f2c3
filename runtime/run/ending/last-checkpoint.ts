/** Finds the checkpoint with which a run ended. */
import type { Archive } from '../../../state/threads/archive.ts';
import type { Run, Runs } from '../../../state/threads/runs.ts';

export interface LastCheckpointParts {
  archive: Pick<Archive, 'checkpoints'>;
  runs: Pick<Runs, 'find'>;
}

// The run's newest checkpoints may belong to its subgraphs.
const PAGE = 50;

/** The root graph's newest checkpoint of the run; undefined if it is no longer kept. */
export async function lastCheckpoint(
  { archive, runs }: LastCheckpointParts,
  { owner, threadKey, runId, request }: Run,
): Promise<string | undefined> {
  const { items } = await archive.checkpoints.list(threadKey, { limit: PAGE }, runId);
  const last = items.find(({ namespace }) => namespace === '');
  if (last) return last.checkpointId;
  // The run wrote no checkpoint: it continued after the last node, or asked the same question again. The state is that of
  // the run that it resumed.
  const before = request.resume && (await runs.find(owner, request.resume.runId));
  return before && lastCheckpoint({ archive, runs }, before);
}

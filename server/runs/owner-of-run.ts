/** Determines the owner for a read of a run, which operators may name in the query. */
import type { OwnedRead } from '../authentication/operators.ts';
import type { Services } from '../services.ts';

/** Returns an owner without runs if the caller may not read the run. See `Operators.ofResource`. */
export function ownerOfRun(
  { operators, state }: Pick<Services, 'operators' | 'state'>,
  read: OwnedRead,
  runId: string,
): Promise<string> {
  return operators.ofResource(read, runId, () => state.runs.ownerOf(runId));
}

/** Finds the run of a stored response by the response's id. */
import type { Runtime } from '../../../runtime/runtime.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Run } from '../../../state/threads/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { responseNotFound, runIdOf } from './ids.ts';

/** Throws RUN_NOT_FOUND, also for a run without a stored response. `param`: the parameter with the id, unless it's in the path. */
export async function findResponse(
  runtime: Pick<Runtime, 'run'>,
  request: Request,
  id: string,
  param?: string,
): Promise<Run> {
  const run = await runtime.run(ownerOf(request), runIdOf(id)).catch((error: unknown) => {
    throw error instanceof SkeinError && error.code === 'RUN_NOT_FOUND' ? responseNotFound(param) : error;
  });
  if (!run.request.response?.store) throw responseNotFound(param);
  return run;
}

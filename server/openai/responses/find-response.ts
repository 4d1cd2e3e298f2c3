/** The stored response of an id, as its run. */
import type { Runtime } from '../../../runtime/runtime.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Run } from '../../../state/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { noResponse, runIdOf } from './ids.ts';

/** Throws RUN_NOT_FOUND, for a run that is no stored response too; `param` is the parameter that names it, if one does. */
export async function foundResponse(
  runtime: Pick<Runtime, 'run'>,
  request: Request,
  id: string,
  param?: string,
): Promise<Run> {
  const run = await runtime.run(ownerOf(request), runIdOf(id)).catch((error: unknown) => {
    throw error instanceof SkeinError && error.code === 'RUN_NOT_FOUND' ? noResponse(param) : error;
  });
  if (!run.request.response?.store) throw noResponse(param);
  return run;
}

/** Returns the graph of a run. A graph factory is called for each run, with a time limit. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { inTime } from '../../../graphs/discovery/in-time.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Adopted } from '../../workflows/registered.ts';

/** Throws RUN_TIMEOUT if the factory doesn't return in time, and the signal's reason if the run is stopped before. */
export async function makeGraph(
  { graphFor, isMade }: Pick<Adopted, 'graphFor' | 'isMade'>,
  config: RunnableConfig,
  signal: AbortSignal,
): Promise<CompiledGraph> {
  signal.throwIfAborted();
  // A graph that is not made by a factory exists already, so it needs no timer.
  if (!isMade) return graphFor(config);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(stoppedBy(signal.reason));
  signal.addEventListener('abort', abort, { once: true });
  const late = (seconds: number) => notMade(`It may take ${seconds} s`);
  try {
    return await inTime(Promise.race([graphFor(config), aborted.promise]), late);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** If the run's deadline passes while the factory runs, the error names the factory. */
function stoppedBy(reason: unknown): unknown {
  return reason instanceof SkeinError && reason.code === 'RUN_TIMEOUT' ? notMade(reason.detail) : reason;
}

function notMade(detail: string | undefined): SkeinError {
  const message = 'The function that makes the graph did not return in time';
  return new SkeinError('RUN_TIMEOUT', { message, ...(detail !== undefined && { detail }) });
}

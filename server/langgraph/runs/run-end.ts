/** The response to clients that wait for the end of a run. */
import { wireJson } from '../../../graphs/adoption/wire-message.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import { isUnavailable, SkeinError } from '../../../state/errors.ts';
import { TIMED_OUT, withTimeout } from '../../http/streams/with-timeout.ts';
import type { Services } from '../../services.ts';

const KEEP_ALIVE_MS = 5_000;

/**
 * Waits for the end of a run. Returns the output of its graph, with its interrupts as `__interrupt__`. If the run failed,
 * returns its error as `__error__`. Throws if the service shuts down or the state is unavailable, because the run continues.
 */
export async function waitForOutput(
  { runtime, state }: Pick<Services, 'runtime' | 'state'>,
  { owner, runId }: { owner: string; runId: string },
): Promise<unknown> {
  const { ended } = await runtime.follow(owner, runId, { view: ENTRIES, after: 0 }, { orEnd: true });
  try {
    return outputOf(await ended());
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    // The run continues on another server or after a restart.
    if (error.code === 'SHUTTING_DOWN' || isUnavailable(error)) throw error;
    const thrown = await findThrown(state, runId);
    return { __error__: thrown ?? { error: error.code, message: error.detail ?? error.message } };
  }
}

function outputOf({ values, result, request }: EndedRun): unknown {
  const output = wireJson(request.protocol || values !== null ? values : { messages: [] });
  const interrupts = result.interrupts.map(({ interruptId: id, value }) => ({ id, value }));
  return interrupts.length > 0 && isObject(output) ? { ...output, __interrupt__: interrupts } : output;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// The number of log batches per read.
const PAGE = 16;

/** Returns the body of the log entry with the error that a node threw; otherwise undefined. */
export async function findThrown({ events }: Services['state'], runId: string): Promise<unknown> {
  let entry = 0;
  for (;;) {
    const batches = await events.read(runId, { entry }, PAGE);
    for (const batch of batches) {
      const found = batch.entries.find(({ kind }) => kind === 'thrown');
      if (found) return found.body;
      entry = batch.last;
    }
    if (batches.length < PAGE) return undefined;
  }
}

/** Responds with the output as JSON. Until the run ends, sends blank lines to keep the connection alive. */
export async function outputResponse(
  output: Promise<unknown>,
  headers: Record<string, string>,
): Promise<Response> {
  const value = await withTimeout(output, KEEP_ALIVE_MS);
  if (value !== TIMED_OUT) return Response.json(value ?? null, { headers });
  async function* chunks(): AsyncGenerator<string> {
    for (;;) {
      const value = await withTimeout(output, KEEP_ALIVE_MS);
      if (value !== TIMED_OUT) return yield JSON.stringify(value ?? null);
      yield '\n';
    }
  }
  return new Response(chunks() as unknown as ReadableStream, {
    headers: { 'content-type': 'application/json', 'x-accel-buffering': 'no', ...headers },
  });
}

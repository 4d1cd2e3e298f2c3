/** The end of a run as the clients that wait for it get it. */
import { wireJson } from '../../../graphs/adoption/wire-message.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import type { EndedRun } from '../../../runtime/run/ended-run.ts';
import { isUnavailable, SkeinError } from '../../../state/errors.ts';
import { TIMED_OUT, withTimeout } from '../../http/with-timeout.ts';
import type { Services } from '../../services.ts';

const KEEP_ALIVE_MS = 5_000;

/** The output of its graph, what it asks a person, or what it failed with. */
export async function endOf(
  { runtime, state }: Pick<Services, 'runtime' | 'state'>,
  { owner, runId }: { owner: string; runId: string },
): Promise<unknown> {
  const { ended } = await runtime.follow(owner, runId, { view: ENTRIES, after: 0 }, { orEnd: true });
  try {
    return outputOf(await ended());
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    // The run goes on.
    if (error.code === 'SHUTTING_DOWN' || isUnavailable(error)) throw error;
    const known = await thrownIn(state, runId);
    return { __error__: known ?? { error: error.code, message: error.detail ?? error.message } };
  }
}

function outputOf({ values, result, request }: EndedRun): unknown {
  const output = wireJson(request.protocol || values !== null ? values : { messages: [] });
  const asked = result.interrupts.map(({ interruptId: id, value }) => ({ id, value }));
  return asked.length > 0 && isObject(output) ? { ...output, __interrupt__: asked } : output;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Batches of the log that are read at once.
const PAGE = 16;

/** What its log says that it failed with. */
export async function thrownIn({ events }: Services['state'], runId: string): Promise<unknown> {
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

/** The end as JSON; where it takes long, with blank lines before it that keep the connection alive. */
export async function whenEnded(end: Promise<unknown>, headers: Record<string, string>): Promise<Response> {
  const soon = await withTimeout(end, KEEP_ALIVE_MS);
  if (soon !== TIMED_OUT) return Response.json(soon ?? null, { headers });
  async function* pieces(): AsyncGenerator<string> {
    for (;;) {
      const value = await withTimeout(end, KEEP_ALIVE_MS);
      if (value !== TIMED_OUT) return yield JSON.stringify(value ?? null);
      yield '\n';
    }
  }
  return new Response(pieces() as unknown as ReadableStream, {
    headers: { 'content-type': 'application/json', 'x-accel-buffering': 'no', ...headers },
  });
}

/** GET /threads/{id}/stream: what happens on a thread, over all its runs. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import type { LogEntry } from '../../../state/events.ts';
import type { Run } from '../../../state/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { sse, sseFrame } from '../../http/sse.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { foundThread } from '../threads/find-thread.ts';
import { statusOf } from './run-body.ts';
import { runView } from './run-view.ts';
import type { WireEvent } from './wire-events.ts';

/** The events of the runs as their own streams have them. */
const RUNS = 'run_modes';
/** Only that runs begin and end. */
const LIFECYCLE = 'lifecycle';
/** Changes of the state from outside of runs, which are in no log. */
const UPDATES = 'state_update';
const BEGINS = 'metadata';
const ENDS = 'end';
/** How a run's end is told here, where the stream goes on. */
const DONE = 'run_done';

export const threadStreamRoutes = (services: Services) =>
  new Elysia({ name: 'langgraph-thread-stream' }).get(
    '/threads/:thread_id/stream',
    async ({ params: { thread_id }, request }) => {
      await foundThread(services.archive, request, thread_id);
      const { signal } = request;
      const asked = new URL(request.url).searchParams;
      const named = ['stream_mode', 'stream_modes'].flatMap((name) => asked.getAll(name));
      const modes = named.flatMap((one) => one.split(','));
      if (modes.includes(UPDATES))
        throw new SkeinError('INVALID_REQUEST', { detail: `stream_mode: ${UPDATES} is not supported` });
      const options = { request, isWhole: !modes.includes(LIFECYCLE) || modes.includes(RUNS) };
      return sse(texts(services, thread_id, options), { signal, failed: () => '' });
    },
    {
      params: Type.Object({ thread_id: Type.String() }),
      detail: {
        summary: 'What happens on a thread, over all its runs: after Last-Event-ID, then live',
        tags: ['langgraph'],
        responses: {
          200: { description: 'The events', content: { 'text/event-stream': {} } },
          ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'),
        },
      },
    },
  );

interface Options {
  request: Request;
  isWhole: boolean;
}

/** Nothing of before without `Last-Event-ID`; everything with `-`. */
async function* texts(
  services: Services,
  threadId: string,
  { request, isWhole }: Options,
): AsyncGenerator<string> {
  const owner = ownerOf(request);
  const given = request.headers.get('last-event-id');
  const after = positionIn(given ?? '');
  const runOf = (runId: string) => services.runtime.run(owner, runId).catch(() => undefined);
  const views = new Map<string, (entry: LogEntry) => Promise<WireEvent[]>>();
  let isLive = given !== null;
  // An answer has no headers before its first text.
  yield ': follows\n\n';
  for await (const batches of services.runtime.followThread(owner, threadId, request.signal)) {
    let text = '';
    for (const { runId, seq, entries } of batches) {
      const view = views.get(runId) ?? viewOf(services, await runOf(runId));
      views.set(runId, view);
      for (const [offset, entry] of entries.entries()) {
        if (entry.kind === 'end') views.delete(runId);
        for (const [place, event] of (await view(entry)).entries()) {
          const isNew = seq + offset > after[0] || (seq + offset === after[0] && place > after[1]);
          if (!isLive || !isNew || !(isWhole || isLifecycle(event))) continue;
          const shown = event.event === ENDS ? done(runId, await runOf(runId)) : event;
          text += sseFrame({ ...shown, id: `${seq + offset}-${place}` });
        }
      }
    }
    if (batches.length === 0) isLive = true;
    if (text !== '') yield text;
  }
}

/** A run that was deleted shows nothing. */
function viewOf(services: Services, run: Run | undefined): (entry: LogEntry) => Promise<WireEvent[]> {
  return run ? runView(services, run) : async () => [];
}

function done(runId: string, run: Run | undefined) {
  return { event: DONE, data: { run_id: runId, status: run && statusOf(run) } };
}

function isLifecycle({ event }: WireEvent): boolean {
  return event === BEGINS || event === ENDS;
}

/** The entry's number in the thread and the event's place in it; before the first entry if no stream gave this id. */
function positionIn(id: string): [entry: number, place: number] {
  const [, entry = '0', place = '0'] = /^(\d{1,15})-(\d{1,9})$/.exec(id) ?? [];
  return [Number(entry), Number(place)];
}

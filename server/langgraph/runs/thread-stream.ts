/** GET /threads/{id}/stream: what happens on a thread, over all its runs. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import type { LogEntry, ThreadBatch } from '../../../state/events.ts';
import type { Run } from '../../../state/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { sse, sseFrame } from '../../http/sse.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { foundThread } from '../threads/find-thread.ts';
import { toThreadState } from '../threads/thread-state.ts';
import { statusOf } from './run-body.ts';
import { runView } from './run-view.ts';
import type { WireEvent } from './wire-events.ts';

/** The events of the runs as their own streams have them. */
const RUNS = 'run_modes';
/** Only that runs begin and end. */
const LIFECYCLE = 'lifecycle';
/** Changes of the state from outside of runs. */
const UPDATES = 'state_update';
const MODES = [RUNS, LIFECYCLE, UPDATES];
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
      const modes = named.flatMap((one) => one.split(',')).filter((one) => MODES.includes(one));
      const options = { request, modes: new Set(modes.length > 0 ? modes : [RUNS]) };
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
  modes: ReadonlySet<string>;
}

interface Event {
  /** The number of its entry in the thread, and its place among the entry's events. */
  at: Position;
  event: string;
  data: unknown;
}

type Position = [entry: number, place: number];

/** Nothing of before without `Last-Event-ID`; everything with `-`. */
async function* texts(
  services: Services,
  threadId: string,
  { request, modes }: Options,
): AsyncGenerator<string> {
  const owner = ownerOf(request);
  const given = request.headers.get('last-event-id');
  const [entry, place] = positionIn(given ?? '');
  const isNew = ({ at }: Event) => at[0] > entry || (at[0] === entry && at[1] > place);
  const ofRuns = runEvents(services, owner, modes);
  let isLive = given !== null;
  // An answer has no headers before its first text.
  yield ': follows\n\n';
  for await (const batches of services.runtime.followThread(owner, threadId, request.signal)) {
    let text = '';
    for (const batch of batches) {
      const { runId, seq } = batch;
      // The state after a change is read only where it is sent.
      if (runId === null && !(isLive && seq > entry && modes.has(UPDATES))) continue;
      const events =
        runId === null
          ? await changeEvents(services, { owner, threadId }, batch)
          : await ofRuns({ ...batch, runId });
      for (const event of events)
        if (isLive && isNew(event)) text += sseFrame({ ...event, id: event.at.join('-') });
    }
    if (batches.length === 0) isLive = true;
    if (text !== '') yield text;
  }
}

type RunBatch = ThreadBatch & { runId: string };

/** The events of runs as their own streams have them, or only that they begin and end; batches must come in order. */
function runEvents(services: Services, owner: string, modes: ReadonlySet<string>) {
  const views = new Map<string, (entry: LogEntry) => Promise<WireEvent[]>>();
  const runOf = (runId: string) => services.runtime.run(owner, runId).catch(() => undefined);
  const isShown = (event: WireEvent) => modes.has(RUNS) || (modes.has(LIFECYCLE) && isLifecycle(event));

  return async ({ runId, seq, entries }: RunBatch): Promise<Event[]> => {
    if (!modes.has(RUNS) && !modes.has(LIFECYCLE)) return [];
    const view = views.get(runId) ?? viewOf(services, await runOf(runId));
    views.set(runId, view);
    const events: Event[] = [];
    for (const [offset, entry] of entries.entries()) {
      if (entry.kind === 'end') views.delete(runId);
      for (const [place, event] of (await view(entry)).entries()) {
        const { event: name, data } = event.event === ENDS ? done(runId, await runOf(runId)) : event;
        if (isShown(event)) events.push({ at: [seq + offset, place], event: name, data });
      }
    }
    return events;
  };
}

/** A run that was deleted shows nothing. */
function viewOf(services: Services, run: Run | undefined): (entry: LogEntry) => Promise<WireEvent[]> {
  return run ? runView(services, run) : async () => [];
}

function done(runId: string, run: Run | undefined) {
  return { event: DONE, data: { run_id: runId, status: run && statusOf(run) } };
}

/** The thread's state after each change; nothing where that state is no longer kept. */
async function changeEvents(
  { archive, states }: Services,
  { owner, threadId }: { owner: string; threadId: string },
  { seq, entries }: ThreadBatch,
): Promise<Event[]> {
  const thread = await archive.threads.find(owner, threadId);
  const events: Event[] = [];
  for (const [offset, { kind, body }] of entries.entries()) {
    if (!thread || kind !== 'state') continue;
    const found = await states.at(thread, { checkpoint_id: body.checkpoint }).catch(unlessGone);
    const data = { state: found && toThreadState(threadId, found), thread_id: threadId };
    if (found) events.push({ at: [seq + offset, 0], event: UPDATES, data });
  }
  return events;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof SkeinError)) throw error;
}

function isLifecycle({ event }: WireEvent): boolean {
  return event === BEGINS || event === ENDS;
}

/** Of an id that a stream gave: the entry's number in the thread, and the event's place in it. */
function positionIn(id: string): Position {
  const [, entry = '0', place = '0'] = /^(\d{1,15})-(\d{1,9})$/.exec(id) ?? [];
  return [Number(entry), Number(place)];
}

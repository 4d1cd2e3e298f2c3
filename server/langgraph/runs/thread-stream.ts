/** GET /threads/{id}/stream: streams the events of all runs of a thread. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import type { LogEntry, ThreadBatch } from '../../../state/threads/events.ts';
import type { Run } from '../../../state/threads/runs.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { sse, sseFrame } from '../../http/streams/sse.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { findThread } from '../threads/find-thread.ts';
import { toThreadState } from '../threads/thread-state.ts';
import { statusOf } from './run-body.ts';
import { runView } from './run-view.ts';
import type { LangGraphEvent } from './stream-events.ts';

/** The mode that sends all events of the streams of the runs. */
const RUN_MODES = 'run_modes';
/** The mode that sends only the start and the end of runs. */
const LIFECYCLE = 'lifecycle';
/** The mode that sends state changes that aren't part of a run. */
const STATE_UPDATE = 'state_update';
const MODES = [RUN_MODES, LIFECYCLE, STATE_UPDATE];
const RUN_START = 'metadata';
const RUN_END = 'end';
/** Replaces `end`, because this stream continues after a run. */
const RUN_DONE = 'run_done';

export const threadStreamRoutes = (services: Services) =>
  new Elysia({ name: 'langgraph-thread-stream' }).get(
    '/threads/:thread_id/stream',
    async ({ params: { thread_id }, request }) => {
      await findThread(services.archive, request, thread_id);
      const { signal } = request;
      const { searchParams } = new URL(request.url);
      const values = ['stream_mode', 'stream_modes'].flatMap((name) => searchParams.getAll(name));
      const modes = values.flatMap((value) => value.split(',')).filter((mode) => MODES.includes(mode));
      const options = { request, modes: new Set(modes.length > 0 ? modes : [RUN_MODES]) };
      return sse(texts(services, thread_id, options), { signal, failed: () => '' });
    },
    {
      params: Type.Object({ thread_id: Type.String() }),
      detail: {
        summary: 'Stream all runs of a thread: replays the events after Last-Event-ID, then sends new ones',
        tags: ['langgraph'],
        responses: {
          200: { description: 'A stream of events', content: { 'text/event-stream': {} } },
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
  position: Position;
  event: string;
  data: unknown;
}

/** The number of the log entry in the thread, and the index of the event among the entry's events. */
type Position = [entry: number, index: number];

/** Without `Last-Event-ID`, sends only new events. With `Last-Event-ID: -`, sends all events. */
async function* texts(
  services: Services,
  threadId: string,
  { request, modes }: Options,
): AsyncGenerator<string> {
  const owner = ownerOf(request);
  const lastEventId = request.headers.get('last-event-id');
  const [entry, index] = parsePosition(lastEventId ?? '');
  const isNew = ({ position }: Event) =>
    position[0] > entry || (position[0] === entry && position[1] > index);
  const toRunEvents = runEvents(services, owner, modes);
  let isLive = lastEventId !== null;
  // The headers are sent with the first text, so send a comment immediately.
  yield ': follows\n\n';
  for await (const batches of services.runtime.followThread(owner, threadId, request.signal)) {
    let text = '';
    for (const batch of batches) {
      const { runId, seq } = batch;
      // Skip changes that aren't sent, because their events require reading the state.
      if (runId === null && !(isLive && seq > entry && modes.has(STATE_UPDATE))) continue;
      const events =
        runId === null
          ? await stateEvents(services, { owner, threadId }, batch)
          : await toRunEvents({ ...batch, runId });
      for (const event of events)
        if (isLive && isNew(event))
          text += sseFrame({ event: event.event, data: event.data, id: event.position.join('-') });
    }
    if (batches.length === 0) isLive = true;
    if (text !== '') yield text;
  }
}

type RunBatch = ThreadBatch & { runId: string };

/** Returns a function that converts each batch to events of the requested modes. Pass the batches in order. */
function runEvents(services: Services, owner: string, modes: ReadonlySet<string>) {
  const views = new Map<string, (entry: LogEntry) => Promise<LangGraphEvent[]>>();
  const runOf = (runId: string) => services.runtime.run(owner, runId).catch(() => undefined);
  const isSent = (event: LangGraphEvent) =>
    modes.has(RUN_MODES) || (modes.has(LIFECYCLE) && isLifecycle(event));

  return async ({ runId, seq, entries }: RunBatch): Promise<Event[]> => {
    if (!modes.has(RUN_MODES) && !modes.has(LIFECYCLE)) return [];
    const view = views.get(runId) ?? viewOf(services, await runOf(runId));
    views.set(runId, view);
    const events: Event[] = [];
    for (const [offset, entry] of entries.entries()) {
      if (entry.kind === 'end') views.delete(runId);
      for (const [index, event] of (await view(entry)).entries()) {
        const { event: name, data } = event.event === RUN_END ? runDone(runId, await runOf(runId)) : event;
        if (isSent(event)) events.push({ position: [seq + offset, index], event: name, data });
      }
    }
    return events;
  };
}

/** A deleted run has no events. */
function viewOf(services: Services, run: Run | undefined): (entry: LogEntry) => Promise<LangGraphEvent[]> {
  return run ? runView(services, run) : async () => [];
}

function runDone(runId: string, run: Run | undefined) {
  return { event: RUN_DONE, data: { run_id: runId, status: run && statusOf(run) } };
}

/** The thread's state after each change, except states that are no longer stored. */
async function stateEvents(
  { archive, states }: Services,
  { owner, threadId }: { owner: string; threadId: string },
  { seq, entries }: ThreadBatch,
): Promise<Event[]> {
  const thread = await archive.threads.find(owner, threadId);
  const events: Event[] = [];
  for (const [offset, { kind, body }] of entries.entries()) {
    if (!thread || kind !== 'state') continue;
    const state = await states.at(thread, { checkpoint_id: body.checkpoint }).catch(ignoreSkeinError);
    if (!state) continue;
    const data = { state: toThreadState(threadId, state), thread_id: threadId };
    events.push({ position: [seq + offset, 0], event: STATE_UPDATE, data });
  }
  return events;
}

function ignoreSkeinError(error: unknown): undefined {
  if (!(error instanceof SkeinError)) throw error;
}

function isLifecycle({ event }: LangGraphEvent): boolean {
  return event === RUN_START || event === RUN_END;
}

/** Parses the id of an event of this stream. Other texts are the position before the first event. */
function parsePosition(id: string): Position {
  const [, entry = '0', index = '0'] = /^(\d{1,15})-(\d{1,9})$/.exec(id) ?? [];
  return [Number(entry), Number(index)];
}

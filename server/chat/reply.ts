/** How a turn is answered: as JSON at its end, as a stream of its events, or at once with where to look. */
import { Type } from '@sinclair/typebox';
import { type Context, status } from 'elysia';
import type { Turn } from '../../runtime/intake/turn.ts';
import { CHAT } from '../../runtime/journal/chat-events.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { ownerOf } from '../authentication/identity.ts';
import { whenCallerGone } from '../http/caller-gone.ts';
import { eventStream } from './event-stream.ts';
import { toChatResponse } from './response.ts';
import { ChatResponse } from './schema.ts';

export type Form = 'json' | 'stream' | 'async';

const Accepted = Type.Object(
  { run_id: Type.String(), thread_id: Type.String(), message_id: Type.String() },
  { title: 'Accepted' },
);

/** The schemas of the answers; a stream has none. */
export const replies = { 200: ChatResponse, 202: Accepted };

/** `Prefer: respond-async` beats the body's `stream`, which beats `Accept`. */
export function formOf(request: Request, stream: boolean | undefined): Form {
  if (/(^|[,;\s])respond-async([,;\s]|$)/i.test(request.headers.get('prefer') ?? '')) return 'async';
  const streams = stream ?? /text\/event-stream/i.test(request.headers.get('accept') ?? '');
  return streams ? 'stream' : 'json';
}

/** What every turn is asked with: the request's id and its trace. */
export function callOf(set: Pick<Context['set'], 'headers'>): {
  requestId: string;
  traceparent: string | undefined;
} {
  return {
    requestId: String(set.headers['x-request-id']),
    traceparent: set.headers.traceparent?.toString(),
  };
}

/** For the OpenAPI document: headers that a turn's request may have. */
export const replyHeaders = [
  header('Idempotency-Key', 'The same key and body return the stored answer for 24 hours', {
    // Blanks around a header's value are not part of it.
    pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
  }),
  header('Prefer', '`respond-async`: 202 at once, the run goes on in the background'),
];

function header(name: string, description: string, rules: { pattern?: string } = {}) {
  const schema = { type: 'string' as const, ...rules };
  return { name, in: 'header' as const, required: false, description, schema };
}

/** Beside the JSON form of a turn's answer. */
export const streamed = {
  200: {
    description: 'The answer, or the events of the run as they come',
    content: { 'text/event-stream': {} },
  },
};

export interface Reply {
  request: Request;
  set: Context['set'];
  form: Form;
  /** The run goes on when its caller goes away. */
  lasts: boolean;
}

/** Typed as its JSON form: Elysia takes no promise of either a value or a `Response`. */
export async function reply(
  runtime: Runtime,
  turn: Turn,
  { request, set, form, lasts }: Reply,
): Promise<ChatResponse> {
  if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
  if (form === 'async') return (await accepted(runtime, turn, set)) as never;
  const leave = lasts ? () => {} : whenCallerGone(request.signal, turn.cancel);
  if (form === 'json') return toChatResponse(await turn.ended.finally(leave));
  turn.ended.finally(leave).catch(() => {});
  // What is told of the run from here on must be true after a loss of power too.
  await runtime.durable(turn.runId);
  const { requestId } = callOf(set);
  const start = { view: CHAT, after: 0 };
  const followed = await runtime.follow(ownerOf(request), turn.runId, start, { orEnd: true });
  return eventStream({ ...followed, signal: request.signal, requestId }) as never;
}

async function accepted(runtime: Runtime, { runId, threadId, messageId }: Turn, set: Context['set']) {
  await runtime.durable(runId);
  set.headers.location = `/api/v1/runs/${runId}`;
  set.headers['preference-applied'] = 'respond-async';
  return status(202, { run_id: runId, thread_id: threadId, message_id: messageId });
}

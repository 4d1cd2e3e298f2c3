/** Responds to a turn: with JSON at its end, with a stream of its events, or immediately with 202 and the run's location. */
import { Type } from '@sinclair/typebox';
import { type Context, status } from 'elysia';
import type { Turn } from '../../runtime/intake/turn.ts';
import { CHAT } from '../../runtime/journal/chat-events.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { ownerOf } from '../authentication/identity.ts';
import { onDisconnect } from '../http/streams/disconnect.ts';
import { eventStream } from './event-stream.ts';
import { toChatResponse } from './response.ts';
import { ChatResponse } from './schema.ts';

export type Form = 'json' | 'stream' | 'async';

const Accepted = Type.Object(
  {
    run_id: Type.String({ description: 'The run that executes the turn' }),
    thread_id: Type.String({ description: 'The thread of the turn' }),
    message_id: Type.String({ description: 'The message that will contain the answer' }),
  },
  { title: 'Accepted' },
);

/** The response schemas. A stream has none. */
export const replies = { 200: ChatResponse, 202: Accepted };

/** `Prefer: respond-async` takes precedence over the body's `stream`, which takes precedence over `Accept`. */
export function formOf(request: Request, stream: boolean | undefined): Form {
  if (/(^|[,;\s])respond-async([,;\s]|$)/i.test(request.headers.get('prefer') ?? '')) return 'async';
  const streams = stream ?? /text\/event-stream/i.test(request.headers.get('accept') ?? '');
  return streams ? 'stream' : 'json';
}

/** The request id and the trace context, which every turn gets. Reads them from the response headers. */
export function requestContext(set: Pick<Context['set'], 'headers'>): {
  requestId: string;
  traceparent: string | undefined;
} {
  return {
    requestId: String(set.headers['x-request-id']),
    traceparent: set.headers.traceparent?.toString(),
  };
}

/** The request headers of a turn, for the OpenAPI document. */
export const replyHeaders = [
  header(
    'Idempotency-Key',
    'Repeated requests with the same key and body get the stored response for 24 hours',
    {
      // No space at either end, because HTTP strips whitespace around header values.
      pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
    },
  ),
  header('Prefer', '`respond-async`: respond with 202 immediately and run in the background'),
];

function header(name: string, description: string, rules: { pattern?: string } = {}) {
  const schema = { type: 'string' as const, ...rules };
  return { name, in: 'header' as const, required: false, description, schema };
}

/** The OpenAPI entry of the streamed form. */
export const streamed = {
  200: {
    description: "The answer, or a stream of the run's events",
    content: { 'text/event-stream': {} },
  },
};

export interface Reply {
  request: Request;
  set: Context['set'];
  form: Form;
  /** The run continues if the client disconnects. */
  continues: boolean;
}

/** Typed as the JSON form, because Elysia doesn't accept a promise of either a value or a `Response`. */
export async function reply(
  runtime: Runtime,
  turn: Turn,
  { request, set, form, continues }: Reply,
): Promise<ChatResponse> {
  if (turn.replayed) set.headers['idempotency-replayed'] = 'true';
  if (form === 'async') return (await accepted(runtime, turn, set)) as never;
  const stopWatching = continues ? () => {} : onDisconnect(request.signal, turn.cancel);
  if (form === 'json') return toChatResponse(await turn.ended.finally(stopWatching));
  turn.ended.finally(stopWatching).catch(() => {});
  // A client must not see events of a run that would not survive a power failure.
  await runtime.durable(turn.runId);
  const { requestId } = requestContext(set);
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

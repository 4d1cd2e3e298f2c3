/** The event-streaming protocol (LangGraph's protocol v2): commands, and the events of a thread. */
import { Type } from '@sinclair/typebox';
import { Elysia, status } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Connections } from '../../connection.ts';
import { createCors } from '../../http/cors.ts';
import { sse, sseFrame } from '../../http/sse.ts';
import { ThreadId } from '../../http/thread-id.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { carryOut } from './commands.ts';
import { Command, Envelope } from './envelope.ts';
import { matches, Subscription, wireEvent } from './event.ts';
import { threadSocket } from './socket.ts';
import { threadEvents } from './thread-events.ts';

const params = Type.Object({ thread_id: ThreadId });

const ASKED = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const),
  ...(['RATE_LIMITED', 'BUDGET_EXCEEDED'] as const),
  ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
);
const EVENTS = { 200: { description: 'The events', content: { 'text/event-stream': {} } } };
const SOCKET = {
  101: { description: 'The connection is a WebSocket' },
  ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'SHUTTING_DOWN'),
  426: { description: 'The request asks for no WebSocket', content: { 'text/plain': {} } },
};
const detail = <Responses>(summary: string, responses: Responses) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const eventStreamingRoutes = (services: Services & Pick<Connections, 'upgrade' | 'countChat'>) =>
  new Elysia({ prefix: '/threads/:thread_id', name: 'langgraph-event-streaming' })
    .post(
      '/commands',
      ({ params: { thread_id: threadId }, body, request, set }) =>
        carryOut(body, { services, request, set, threadId }),
      {
        ...{ parse: 'json', params, body: Command, response: { 200: Envelope } },
        detail: detail(
          'Start a run, answer an interrupt, or read the state; refusals are in the answer',
          ASKED,
        ),
      },
    )
    .post(
      '/stream/events',
      ({ params: { thread_id: threadId }, body, request }) => {
        const of = { owner: ownerOf(request), threadId, signal: request.signal };
        return streamed(services, of, body);
      },
      {
        ...{ parse: 'json', params, body: Subscription },
        detail: detail("A thread's events: replayed, then live, over all its runs", { ...ASKED, ...EVENTS }),
      },
    )
    .get(
      '/stream/events',
      ({ params: { thread_id: threadId }, request, set }) => {
        refuseForeign(request, services.web);
        if (services.upgrade(request, threadSocket(services, { request, set, threadId })))
          return new Response(null, { status: 101 });
        set.headers.upgrade = 'websocket';
        return status(426, 'upgrade: expected websocket; POST answers with server-sent events');
      },
      { params, detail: detail('The same over a WebSocket, with the commands', SOCKET) },
    );

/** A page of another origin is let in as it is for other requests, which a browser itself holds back. */
function refuseForeign(request: Request, { cors_origins }: Services['web']): void {
  const origin = request.headers.get('origin');
  const isOwn = origin !== null && URL.parse(origin)?.host === request.headers.get('host');
  if (isOwn || createCors(cors_origins).trusts(request)) return;
  throw new SkeinError('INVALID_REQUEST', {
    detail: 'origin: is not in web_configuration.cors_origins',
  });
}

/** The connection ends only where the service stops; the client comes back for the rest. */
function streamed(
  services: Services,
  of: { owner: string; threadId: string; signal: AbortSignal },
  subscription: Subscription,
): Response {
  async function* texts(): AsyncGenerator<string> {
    // The head of an answer leaves with its first bytes, and clients wait for it before they start a run.
    yield ': open\n\n';
    for await (const events of threadEvents(services, of)) {
      let text = '';
      for (const event of events) {
        const wire = matches(subscription, event) ? await wireEvent(event) : undefined;
        if (wire) text += sseFrame({ id: wire.event_id, event: wire.method, data: wire });
      }
      if (text !== '') yield text;
    }
  }
  return sse(texts(), {
    signal: of.signal,
    headers: { 'cache-control': 'no-store' },
    failed: () => '',
  });
}

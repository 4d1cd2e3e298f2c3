/** Routes of the event-streaming protocol (LangGraph's protocol v2): commands, and the events of a thread. */
import { Type } from '@sinclair/typebox';
import { Elysia, status } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Connections } from '../../connection.ts';
import { createCors } from '../../http/headers/cors.ts';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import { sse, sseFrame } from '../../http/streams/sse.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { executeCommand } from './commands.ts';
import { Command, Envelope } from './envelope.ts';
import { matches, Subscription, wireEvent } from './event.ts';
import { threadSocket } from './socket.ts';
import { threadEvents } from './thread-events.ts';

const params = Type.Object({ thread_id: ThreadId });

const POST_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const),
  ...(['RATE_LIMITED', 'BUDGET_EXCEEDED'] as const),
  ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
);
const EVENTS = { 200: { description: 'A stream of events', content: { 'text/event-stream': {} } } };
const SOCKET = {
  101: { description: 'The connection becomes a WebSocket' },
  ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'SHUTTING_DOWN'),
  426: { description: 'The request is not a WebSocket handshake', content: { 'text/plain': {} } },
};
const detail = <Responses>(summary: string, responses: Responses) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const eventStreamingRoutes = (services: Services & Pick<Connections, 'upgrade' | 'countChat'>) =>
  new Elysia({ prefix: '/threads/:thread_id', name: 'langgraph-event-streaming' })
    .post(
      '/commands',
      ({ params: { thread_id: threadId }, body, request, set }) =>
        executeCommand(body, { services, request, set, threadId }),
      {
        ...{ parse: 'json', params, body: Command, response: { 200: Envelope } },
        detail: detail(
          'Execute a command: start a run, answer an interrupt, read the state; errors are in the response body',
          POST_ERRORS,
        ),
      },
    )
    .post(
      '/stream/events',
      ({ params: { thread_id: threadId }, body, request }) => {
        const scope = { owner: ownerOf(request), threadId, signal: request.signal };
        return streamEvents(services, scope, body);
      },
      {
        ...{ parse: 'json', params, body: Subscription },
        detail: detail('Stream the events of a thread over all its runs: past events, then new ones', {
          ...POST_ERRORS,
          ...EVENTS,
        }),
      },
    )
    .get(
      '/stream/events',
      ({ params: { thread_id: threadId }, request, set }) => {
        checkOrigin(request, services.web);
        if (services.upgrade(request, threadSocket(services, { request, set, threadId })))
          return new Response(null, { status: 101 });
        set.headers.upgrade = 'websocket';
        return status(426, 'upgrade: expected websocket. For server-sent events, use POST.');
      },
      { params, detail: detail('Open a WebSocket for commands and events of a thread', SOCKET) },
    );

/**
 * Browsers don't apply CORS to WebSockets, so check the origin here. Throws INVALID_REQUEST for origins that are neither the
 * service's own nor in `web_configuration.cors_origins`.
 */
function checkOrigin(request: Request, { cors_origins }: Services['web']): void {
  const origin = request.headers.get('origin');
  const isOwn = origin !== null && URL.parse(origin)?.host === request.headers.get('host');
  if (isOwn || createCors(cors_origins).trusts(request)) return;
  throw new SkeinError('INVALID_REQUEST', {
    detail: 'origin: not in web_configuration.cors_origins',
  });
}

/** The stream ends only if the service stops or can't read the events. The client then reconnects. */
function streamEvents(
  services: Services,
  scope: { owner: string; threadId: string; signal: AbortSignal },
  subscription: Subscription,
): Response {
  async function* texts(): AsyncGenerator<string> {
    // The headers are sent with the first text, and clients wait for the headers before they start a run.
    yield ': open\n\n';
    for await (const events of threadEvents(services, scope)) {
      let text = '';
      for (const event of events) {
        const wire = matches(subscription, event) ? await wireEvent(event) : undefined;
        if (wire) text += sseFrame({ id: wire.event_id, event: wire.method, data: wire });
      }
      if (text !== '') yield text;
    }
  }
  return sse(texts(), {
    signal: scope.signal,
    headers: { 'cache-control': 'no-store' },
    failed: () => '',
  });
}

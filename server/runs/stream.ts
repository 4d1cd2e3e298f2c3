/** GET /runs/{run_id}/stream: replays a run's events and then streams new ones. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { CHAT } from '../../runtime/journal/chat-events.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { eventStream } from '../chat/event-stream.ts';
import { requestContext } from '../chat/reply.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { ownerOfRun } from './owner-of-run.ts';
import { runParams } from './shape.ts';

export const runStreamRoutes = ({ operators, runtime, state }: Services) =>
  new Elysia({ prefix: '/api/v1/runs', name: 'run-stream' }).get(
    '/:run_id/stream',
    async ({ params: { run_id }, query, request, route, set }) => {
      const after = lastEventId(request);
      await runtime.durable();
      const owner = await ownerOfRun({ operators, state }, { request, route, owner: query.owner }, run_id);
      const followed = await runtime.follow(owner, run_id, { view: CHAT, after });
      return eventStream({ ...followed, signal: request.signal, requestId: requestContext(set).requestId });
    },
    {
      params: runParams,
      query: Type.Object(ownerQuery),
      headers: Type.Object({
        'last-event-id': Type.Optional(
          Type.String({
            documented: { pattern: '^[0-9]{0,15}$' },
            description: 'The id of the last event received. 0 or none for all events',
          }),
        ),
      }),
      detail: {
        summary: "Stream a run's events after Last-Event-ID: past events first, then live ones",
        tags: ['runs'],
        responses: {
          200: { description: 'The events', content: { 'text/event-stream': {} } },
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'RUN_NOT_FOUND'),
        },
      },
    },
  );

function lastEventId(request: Request): number {
  const text = request.headers.get('last-event-id') ?? '';
  if (text === '') return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new SkeinError('INVALID_REQUEST', { detail: 'Last-Event-ID: expected the id of an event' });
}

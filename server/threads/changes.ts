/** GET /thread-changes: an event stream that reports changes of the newest threads, to keep lists up to date. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errorBody } from '../../state/errors.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { requestContext } from '../chat/reply.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { sse, sseFrame } from '../http/streams/sse.ts';
import type { Services } from '../services.ts';

export const threadChangeRoutes = ({ operators, runtime }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'thread-changes' }).get(
    '/thread-changes',
    ({ query, request, route, set }) => {
      const owner = operators.ofList({ request, route, owner: query.owner });
      const { requestId } = requestContext(set);
      return sse(frames(runtime.threadChanges(owner, request.signal)), {
        signal: request.signal,
        failed: (error) => sseFrame({ event: 'error', data: errorBody(error, requestId) }),
      });
    },
    {
      query: Type.Object(ownerQuery),
      detail: {
        summary: 'Stream changes of the newest threads: started and ended runs, titles and deletions',
        tags: ['threads'],
        responses: {
          200: {
            description: 'A `changes` event immediately, and whenever threads change',
            content: { 'text/event-stream': {} },
          },
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    },
  );

async function* frames(changes: AsyncGenerator<string[]>): AsyncGenerator<string> {
  for await (const threads of changes) yield sseFrame({ event: 'changes', data: { threads } });
}

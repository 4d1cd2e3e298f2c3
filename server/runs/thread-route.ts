/** GET /threads/{thread_id}: a thread, and its newest runs with `include=runs`. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { namedOwner, readThreadOf, ThreadBody, threadParams, toThreadBody } from '../threads/shape.ts';
import { RunHead, toRunHead } from './shape.ts';

const NEWEST_RUNS = 50;

const ThreadWithRuns = Type.Composite(
  [
    ThreadBody,
    Type.Object({
      runs: Type.Optional(
        Type.Array(RunHead, { description: 'The newest 50 runs, newest first. Only with include=runs' }),
      ),
    }),
  ],
  { title: 'ThreadWithRuns' },
);

export const oneThreadRoutes = ({ archive, operators, state }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'thread' }).get(
    '/threads/:thread_id',
    async ({ params: { thread_id }, query, request, route }) => {
      const read = { request, route, owner: query.owner };
      const thread = await readThreadOf({ archive, operators }, read, thread_id);
      const used = await state.runs.usageOf(thread.key);
      const body = { ...toThreadBody(thread, used), ...namedOwner(query, thread.owner) };
      if (query.include !== 'runs') return body;
      const { owner, key } = thread;
      const { items } = await archive.runs({ owner, thread: key }, { limit: NEWEST_RUNS });
      return { ...body, runs: items.map(toRunHead) };
    },
    {
      params: threadParams,
      query: Type.Object({
        include: Type.Optional(
          Type.Literal('runs', { description: 'Include the newest 50 runs, without agents' }),
        ),
        ...ownerQuery,
      }),
      response: { 200: ThreadWithRuns },
      detail: {
        summary: 'Get a thread with its open interrupts',
        tags: ['threads'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'),
      },
    },
  );

/** Routes for threads: list, change and delete them. `runs/thread-route.ts` reads one. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { workflowName } from '../../runtime/workflows/workflow-name.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { boundedText } from '../http/schemas/bounded-text.ts';
import { atLeastOneOf } from '../http/schemas/documented-schema.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { pageOf, paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';
import {
  namedOwner,
  ThreadBody,
  ThreadEntry,
  ThreadStatus,
  threadOf,
  threadParams,
  toThreadBody,
  toThreadEntry,
} from './shape.ts';

const PAGES = paging('threads', ['number', 'number']);

const ThreadQuery = Type.Object({
  workflow: Type.Optional(Type.String({ maxLength: 200, description: 'The name of a workflow' })),
  status: Type.Optional(ThreadStatus),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the title or the id' })),
  ...ownerQuery,
  ...PAGES.query,
});

const ThreadChange = Type.Object(
  {
    title: Type.Optional(
      boundedText(200, {
        nonBlank: true,
        description: 'The new title: 1 to 200 characters, at least one of them non-blank',
        error: 'expected text of 1 to 200 characters, at least one of them non-blank',
      }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Replaces all metadata. At most 16 KiB as JSON',
      }),
    ),
  },
  { title: 'ThreadChange', additionalProperties: true, ...atLeastOneOf('title', 'metadata') },
);

const MAX_METADATA_BYTES = 16_384;

export const threadRoutes = ({ archive, operators, runtime, log }: Services) =>
  new Elysia({ prefix: '/api/v1', name: 'threads' })
    .get(
      '/threads',
      async ({ query, request, route }) => {
        const { workflow, status, q } = query;
        const named = workflow === undefined ? undefined : workflowName(workflow);
        const owner = operators.ofList({ request, route, owner: query.owner });
        const filter = { owner, workflow: named, status, text: q };
        const { items, next } = await archive.threads.list(filter, PAGES.request(query));
        const threads = items.map((one) => ({ ...toThreadEntry(one), ...namedOwner(query, one.owner) }));
        return { threads, next_cursor: PAGES.cursorOf(next) };
      },
      {
        query: ThreadQuery,
        response: { 200: pageOf('threads', ThreadEntry, 'ThreadList') },
        detail: {
          summary: 'List threads, most recently active first',
          tags: ['threads'],
          responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
        },
      },
    )
    .patch(
      '/threads/:thread_id',
      async ({ params: { thread_id }, body, request }) => {
        const found = await archive.threads.update(ownerOf(request), thread_id, changeIn(body));
        if (!found) throw new SkeinError('THREAD_NOT_FOUND');
        return toThreadBody(await threadOf(archive, request, thread_id));
      },
      {
        parse: 'json',
        params: threadParams,
        body: ThreadChange,
        response: { 200: ThreadBody },
        detail: {
          summary: "Change a thread's title or metadata; does not count as activity",
          tags: ['threads'],
          responses: errorResponses(
            ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED'] as const),
            ...(['THREAD_NOT_FOUND', 'PAYLOAD_TOO_LARGE'] as const),
          ),
        },
      },
    )
    .delete(
      '/threads/:thread_id',
      async ({ params: { thread_id }, request, set }) => {
        const owner = ownerOf(request);
        await runtime.deleteThread(owner, thread_id);
        log.info({ audit: 'thread deleted', thread_id, owner }, 'thread deleted');
        set.status = 204;
      },
      {
        params: threadParams,
        response: { 204: Type.Void({ description: 'Deleted' }) },
        detail: {
          summary: 'Cancel the runs of a thread, and delete it with all of its data',
          tags: ['threads'],
          responses: errorResponses('UNAUTHORIZED', 'THREAD_NOT_FOUND'),
        },
      },
    );

function changeIn({ title, metadata }: Static<typeof ThreadChange>) {
  if (title === undefined && metadata === undefined) {
    throw new SkeinError('INVALID_REQUEST', { detail: 'body: expected title or metadata' });
  }
  if (metadata !== undefined && Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES) {
    throw new SkeinError('INVALID_REQUEST', {
      detail: `metadata: at most ${MAX_METADATA_BYTES} bytes as JSON`,
    });
  }
  return { title, metadata };
}

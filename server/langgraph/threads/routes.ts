/** Routes for threads in LangGraph's protocol. They are the same threads as in the service's own API. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { pruneThreads } from '../../../runtime/threads/pruning.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { StoredThread } from '../../../state/threads/archive.ts';
import { ownerOf } from '../../authentication/identity.ts';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { JsonObject } from '../json-object.ts';
import { countResponse, pageHeaders } from '../pagination.ts';
import { queryList } from '../query-list.ts';
import { Command, toRunCommand } from '../runs/run-create.ts';
import { findThread } from './find-thread.ts';
import { Thread, threadBody } from './thread-body.ts';
import { countThreads, FoundThread, Search, searchThreads } from './thread-search.ts';
import { PruneStrategy, parseTtl, Ttl, ttlBody } from './thread-ttl.ts';

const StepUpdate = Type.Object(
  {
    values: Type.Optional(Type.Unknown()),
    command: Type.Optional(Type.Union([Command, Type.Null()])),
    as_node: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: true },
);

const Create = Type.Object(
  {
    thread_id: Type.Optional(Type.Union([ThreadId, Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    if_exists: Type.Optional(
      Type.Union([Type.Literal('raise'), Type.Literal('do_nothing')], { default: 'raise' }),
    ),
    ttl: Ttl,
    supersteps: Type.Optional(
      Type.Union([Type.Array(Type.Object({ updates: Type.Array(StepUpdate) })), Type.Null()]),
    ),
  },
  { title: 'LangGraphThreadCreate', additionalProperties: true },
);

const Prune = Type.Object(
  {
    thread_ids: Type.Array(Type.String(), { maxItems: 1000 }),
    strategy: Type.Optional(PruneStrategy),
  },
  { title: 'LangGraphThreadPrune', additionalProperties: true },
);

const params = Type.Object({ thread_id: Type.String() });
const READ_ERRORS = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'INVALID_REQUEST');
const BODY_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
  ...(['THREAD_BUSY', 'PAYLOAD_TOO_LARGE'] as const),
);
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const langgraphThreadRoutes = (services: Services) => {
  const { archive, states, runtime, log } = services;
  return new Elysia({ prefix: '/threads', name: 'langgraph-threads' })
    .post(
      '',
      async ({ body, request }) => {
        const owner = ownerOf(request);
        const threadId = body.thread_id ?? Bun.randomUUIDv7();
        const metadata = body.metadata ?? {};
        const ttl = parseTtl(body.ttl) ?? services.threadTtl;
        const isCreated = await archive.threads.create(owner, {
          threadId,
          metadata,
          createdAt: Date.now(),
          ttl,
        });
        if (!isCreated && body.if_exists !== 'do_nothing')
          throw new SkeinError('THREAD_BUSY', { detail: 'Thread already exists' });
        if (isCreated && body.supersteps)
          await applySupersteps(services, await findThread(archive, request, threadId), body);
        return threadBody(states, await findThread(archive, request, threadId));
      },
      {
        ...{ parse: 'json', body: Create, response: { 200: Thread } },
        detail: detail('Create a thread', BODY_ERRORS),
      },
    )
    .post(
      '/search',
      async ({ body, request, set }) => {
        const { items, total } = await searchThreads(services, ownerOf(request), body, request.signal);
        pageHeaders(set, total, body);
        return items;
      },
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Array(FoundThread) } },
        detail: detail('Search threads', BODY_ERRORS),
      },
    )
    .post(
      '/count',
      async ({ body, request }) =>
        countResponse(await countThreads(services, ownerOf(request), body, request.signal)),
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Integer() } },
        detail: detail('Count threads', BODY_ERRORS),
      },
    )
    .post(
      '/prune',
      async ({ body, request }) => {
        const owner = ownerOf(request);
        const { thread_ids: threadIds, strategy = 'delete' } = body;
        const parts = { archive, expireThread: runtime.expireThread };
        const count = await pruneThreads(parts, owner, { threadIds, strategy });
        log.info({ audit: 'threads pruned', strategy, threads: count, owner }, 'threads pruned');
        return { pruned_count: count };
      },
      {
        ...{ parse: 'json', body: Prune, response: { 200: Type.Object({ pruned_count: Type.Integer() }) } },
        detail: detail('Delete threads, or all their states except the newest', BODY_ERRORS),
      },
    )
    .get(
      '/:thread_id',
      async ({ params: { thread_id }, request }) => {
        const thread = await findThread(archive, request, thread_id);
        const body = await threadBody(states, thread);
        return queryList(request, 'include')?.includes('ttl') ? { ...body, ttl: ttlBody(thread) } : body;
      },
      {
        ...{ params, response: { 200: Thread } },
        detail: detail('Get a thread; include=ttl adds its time to live', READ_ERRORS),
      },
    )
    .patch(
      '/:thread_id',
      async ({ params: { thread_id }, body, request, set }) => {
        const { metadata } = await findThread(archive, request, thread_id);
        const merged = { ...metadata, ...body.metadata };
        const change = { metadata: merged, ttl: parseTtl(body.ttl) };
        await archive.threads.update(ownerOf(request), thread_id, change);
        if (!wantsMinimal(request)) return threadBody(states, await findThread(archive, request, thread_id));
        set.status = 204;
        set.headers['preference-applied'] = MINIMAL;
      },
      {
        ...{ parse: 'json', params },
        response: { 200: Thread, 204: Type.Void({ description: 'With the header Prefer: return=minimal' }) },
        body: Type.Object(
          { metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])), ttl: Ttl },
          { title: 'LangGraphThreadPatch', additionalProperties: true },
        ),
        detail: detail('Change a thread; metadata is merged', BODY_ERRORS),
      },
    )
    .post(
      '/:thread_id/copy',
      async ({ params: { thread_id }, request }) => {
        const threadId = Bun.randomUUIDv7();
        await archive.threads.copy(await findThread(archive, request, thread_id), threadId, Date.now());
        return threadBody(states, await findThread(archive, request, threadId));
      },
      {
        ...{ params, response: { 200: Thread } },
        detail: detail('Copy a thread with its state', READ_ERRORS),
      },
    )
    .delete(
      '/:thread_id',
      async ({ params: { thread_id }, request, set }) => {
        const owner = ownerOf(request);
        await findThread(archive, request, thread_id);
        await runtime.deleteThread(owner, thread_id);
        log.info({ audit: 'thread deleted', thread_id, owner }, 'thread deleted');
        set.status = 204;
      },
      {
        params,
        response: { 204: Type.Void({ description: 'The thread and all its data are deleted' }) },
        detail: detail('Delete a thread with all its data', READ_ERRORS),
      },
    );
};

const MINIMAL = 'return=minimal';

function wantsMinimal(request: Request): boolean {
  const preferences = request.headers.get('prefer')?.split(',') ?? [];
  return preferences.some((preference) => preference.trim().toLowerCase() === MINIMAL);
}

/** Writes the supersteps to a new thread. If that fails, deletes the thread and throws the error. */
async function applySupersteps(
  { updates, runtime }: Services,
  thread: StoredThread,
  { supersteps, metadata }: Static<typeof Create>,
): Promise<void> {
  const steps = (supersteps ?? []).map((step) =>
    step.updates.map(({ values, command, as_node }) => ({
      values,
      command: command ? toRunCommand(command) : undefined,
      asNode: as_node ?? undefined,
    })),
  );
  try {
    if (typeof metadata?.graph_id !== 'string')
      throw new SkeinError('INVALID_REQUEST', { detail: 'metadata.graph_id: required with supersteps' });
    await updates.replay(thread, metadata.graph_id, steps);
  } catch (error) {
    await runtime.deleteThread(thread.owner, thread.threadId);
    throw error;
  }
}

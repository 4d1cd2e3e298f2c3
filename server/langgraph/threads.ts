/** Threads over LangGraph's protocol: the same threads as chat's. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { assistantId } from '../../runtime/assistants/system-assistants.ts';
import { pruneThreads } from '../../runtime/threads/pruning.ts';
import type { ThreadStates } from '../../runtime/threads/thread-states.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import type { StoredThread, ThreadSearch } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import type { Services } from '../services.ts';
import { textErrors } from './errors.ts';
import { foundThread } from './find-thread.ts';
import { pageHeaders, selected } from './pages.ts';
import { Command, commandIn } from './runs/run-create.ts';
import { toThreadState } from './thread-state.ts';
import { PruneStrategy, Ttl, TtlBody, ttlBody, ttlIn } from './thread-ttl.ts';

const JsonObject = Type.Record(Type.String(), Type.Unknown());
const Time = Type.String({ format: 'date-time' });
const Status = Type.Union([
  Type.Literal('idle'),
  Type.Literal('busy'),
  Type.Literal('interrupted'),
  Type.Literal('error'),
]);

const Thread = Type.Object(
  {
    thread_id: Type.String(),
    created_at: Time,
    updated_at: Time,
    metadata: JsonObject,
    status: Status,
    config: JsonObject,
    values: Type.Unknown(),
    interrupts: Type.Record(Type.String(), Type.Array(Type.Unknown())),
    ttl: Type.Optional(Type.Union([TtlBody, Type.Null()])),
  },
  { title: 'LangGraphThread' },
);
type Thread = Static<typeof Thread>;

const ThreadId = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,128}$',
  description: '1 to 128 of A-Z a-z 0-9 . _ : -',
});

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

const Search = Type.Object(
  {
    ids: Type.Optional(Type.Union([Type.Array(Type.String(), { maxItems: 1000 }), Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    status: Type.Optional(Type.Union([Status, Type.Null()])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    sort_by: Type.Optional(
      Type.Union([
        Type.Literal('thread_id'),
        Type.Literal('created_at'),
        Type.Literal('updated_at'),
        Type.Literal('status'),
      ]),
    ),
    sort_order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    select: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'LangGraphThreadSearch', additionalProperties: true },
);

const Prune = Type.Object(
  {
    thread_ids: Type.Array(Type.String(), { maxItems: 1000 }),
    strategy: Type.Optional(PruneStrategy),
  },
  { title: 'LangGraphThreadPrune', additionalProperties: true },
);

const Include = Type.Object({
  include: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 100 })], {
      description: 'Fields beside the usual ones: ttl',
    }),
  ),
});

const params = Type.Object({ thread_id: Type.String() });
const FOUND = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'INVALID_REQUEST');
const BODY = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
  ...(['THREAD_BUSY', 'PAYLOAD_TOO_LARGE'] as const),
);
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const langgraphThreadRoutes = (services: Services) => {
  const { archive, states, runtime, registry, log } = services;
  return new Elysia({ prefix: '/threads', name: 'langgraph-threads' })
    .post(
      '',
      async ({ body, request }) => {
        const owner = ownerOf(request);
        const threadId = body.thread_id ?? Bun.randomUUIDv7();
        const metadata = body.metadata ?? {};
        const ttl = ttlIn(body.ttl) ?? services.threadTtl;
        const made = await archive.threads.create(owner, { threadId, metadata, createdAt: Date.now(), ttl });
        if (!made && body.if_exists !== 'do_nothing')
          throw new SkeinError('THREAD_BUSY', { detail: 'Thread already exists' });
        if (made && body.supersteps)
          await replay(services, await foundThread(archive, request, threadId), body);
        return threadBody(states, await foundThread(archive, request, threadId));
      },
      {
        ...{ parse: 'json', body: Create, response: { 200: Thread } },
        detail: detail('Make a thread', BODY),
      },
    )
    .post(
      '/search',
      async ({ body, request, set }) => {
        const { items, total } = await archive.threads.search(searchOf(ownerOf(request), body, registry));
        pageHeaders(set, total, body);
        const bodies = await Promise.all(items.map((thread) => threadBody(states, thread)));
        return bodies.map((thread) => selected(thread, body.select));
      },
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Array(Type.Partial(Thread)) } },
        detail: detail('Find threads', BODY),
      },
    )
    .post(
      '/count',
      async ({ body, request }) =>
        (await archive.threads.search(searchOf(ownerOf(request), body, registry))).total,
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Integer() } },
        detail: detail('Count threads', BODY),
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
        detail: detail('Delete threads, or what they keep beside their newest state', BODY),
      },
    )
    .get(
      '/:thread_id',
      async ({ params: { thread_id }, query, request }) => {
        const thread = await foundThread(archive, request, thread_id);
        const body = await threadBody(states, thread);
        return [query.include ?? []].flat().includes('ttl') ? { ...body, ttl: ttlBody(thread) } : body;
      },
      {
        ...{ params, query: Include, response: { 200: Thread } },
        detail: detail('One thread', FOUND),
      },
    )
    .patch(
      '/:thread_id',
      async ({ params: { thread_id }, body, request }) => {
        const { metadata } = await foundThread(archive, request, thread_id);
        const merged = { ...metadata, ...body.metadata };
        const change = { metadata: merged, ttl: ttlIn(body.ttl) };
        await archive.threads.update(ownerOf(request), thread_id, change);
        return threadBody(states, await foundThread(archive, request, thread_id));
      },
      {
        ...{ parse: 'json', params, response: { 200: Thread } },
        body: Type.Object(
          { metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])), ttl: Ttl },
          { title: 'LangGraphThreadPatch', additionalProperties: true },
        ),
        detail: detail('Merge into its metadata', BODY),
      },
    )
    .post(
      '/:thread_id/copy',
      async ({ params: { thread_id }, request }) => {
        const threadId = Bun.randomUUIDv7();
        await archive.threads.copy(await foundThread(archive, request, thread_id), threadId, Date.now());
        return threadBody(states, await foundThread(archive, request, threadId));
      },
      {
        ...{ params, response: { 200: Thread } },
        detail: detail('A new thread with the same state', FOUND),
      },
    )
    .delete(
      '/:thread_id',
      async ({ params: { thread_id }, request, set }) => {
        const owner = ownerOf(request);
        await foundThread(archive, request, thread_id);
        await runtime.deleteThread(owner, thread_id);
        log.info({ audit: 'thread deleted', thread_id, owner }, 'thread deleted');
        set.status = 204;
      },
      {
        params,
        response: { 204: Type.Void({ description: 'Nothing of it is left' }) },
        detail: detail('Delete it with all that belongs to it', FOUND),
      },
    );
};

/** A thread that cannot be given its steps is not made. */
async function replay(
  { updates, runtime }: Services,
  thread: StoredThread,
  { supersteps, metadata }: Static<typeof Create>,
): Promise<void> {
  const steps = (supersteps ?? []).map((step) =>
    step.updates.map(({ values, command, as_node }) => ({
      values,
      command: command ? commandIn(command) : undefined,
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

async function threadBody(states: ThreadStates, thread: StoredThread): Promise<Thread> {
  // A thread is listed, too, when its graph is no longer there to read the state.
  const state = toThreadState(thread.threadId, await states.at(thread).catch(() => undefined));
  const { workflow, interrupt } = thread;
  const graph = workflow === '' ? {} : { graph_id: workflow, assistant_id: assistantId(workflow) };
  const waiting = state.tasks.filter(({ interrupts }) => (interrupts as unknown[]).length > 0);
  return {
    thread_id: thread.threadId,
    created_at: new Date(thread.createdAt).toISOString(),
    updated_at: new Date(thread.updatedAt).toISOString(),
    metadata: { ...graph, ...thread.metadata },
    status: thread.status,
    config: {},
    values: state.created_at === null ? null : state.values,
    interrupts: interrupt
      ? Object.fromEntries(waiting.map((task) => [String(task.id), task.interrupts as unknown[]]))
      : {},
  };
}

type Asked = Static<typeof Search>;

/**
 * `graph_id` of the metadata, and `assistant_id` if it is that of a graph's own assistant, stand for the graph of the
 * thread's last turn.
 */
function searchOf(owner: string, asked: Asked, { workflows }: Registry): ThreadSearch {
  const { ids, metadata, status, limit = 10, offset = 0, sort_by, sort_order } = asked;
  const { graph_id, assistant_id, ...rest } = metadata ?? {};
  const named = workflows.find(({ name }) => assistantId(name) === assistant_id)?.name;
  const graph = graph_id ?? named;
  const isOwn = assistant_id !== undefined && named === undefined;
  return {
    ...{ owner, limit, offset, metadata: isOwn ? { ...rest, assistant_id } : rest },
    ids: ids ?? undefined,
    workflow: graph === undefined ? undefined : String(graph),
    status: status ?? undefined,
    sortBy: sort_by ?? ('created_at' as const),
    descending: sort_order !== 'asc',
  };
}

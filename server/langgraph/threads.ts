/** Threads over LangGraph's protocol: the same threads as chat's. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { HistoryQuery, ThreadStates } from '../../runtime/threads/thread-states.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import type { StoredThread, ThreadSearch } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import type { Services } from '../services.ts';
import { textErrors } from './errors.ts';
import { pageHeaders, selected } from './pages.ts';
import { assistantId } from './system-assistants.ts';
import { type Checkpoint, ThreadState, toThreadState } from './thread-state.ts';

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
  },
  { title: 'LangGraphThread' },
);
type Thread = Static<typeof Thread>;

const ThreadId = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,128}$',
  description: '1 to 128 of A-Z a-z 0-9 . _ : -',
});

const Create = Type.Object(
  {
    thread_id: Type.Optional(Type.Union([ThreadId, Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    if_exists: Type.Optional(
      Type.Union([Type.Literal('raise'), Type.Literal('do_nothing')], { default: 'raise' }),
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
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
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

const History = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    before: Type.Optional(Type.Union([Type.String(), JsonObject, Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
  },
  { title: 'HistoryQuery', additionalProperties: true },
);

const params = Type.Object({ thread_id: Type.String() });
const FOUND = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'INVALID_REQUEST');
const BODY = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
  ...(['CHECKPOINT_NOT_FOUND', 'THREAD_BUSY', 'PAYLOAD_TOO_LARGE'] as const),
);
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const langgraphThreadRoutes = ({ archive, states, runtime, registry, log }: Services) =>
  new Elysia({ prefix: '/threads', name: 'langgraph-threads' })
    .post(
      '',
      async ({ body, request }) => {
        const owner = ownerOf(request);
        const threadId = body.thread_id ?? Bun.randomUUIDv7();
        const metadata = body.metadata ?? {};
        const made = await archive.threads.create(owner, { threadId, metadata, createdAt: Date.now() });
        if (!made && body.if_exists !== 'do_nothing')
          throw new SkeinError('THREAD_BUSY', { detail: 'Thread already exists' });
        return threadBody(states, await found(archive, request, threadId));
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
    .get(
      '/:thread_id',
      async ({ params: { thread_id }, request }) =>
        threadBody(states, await found(archive, request, thread_id)),
      { params, response: { 200: Thread }, detail: detail('One thread', FOUND) },
    )
    .patch(
      '/:thread_id',
      async ({ params: { thread_id }, body, request }) => {
        const { metadata } = await found(archive, request, thread_id);
        const merged = { ...metadata, ...body.metadata };
        await archive.threads.update(ownerOf(request), thread_id, { metadata: merged });
        return threadBody(states, await found(archive, request, thread_id));
      },
      {
        ...{ parse: 'json', params, response: { 200: Thread } },
        body: Type.Object(
          { metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])) },
          { title: 'LangGraphThreadPatch', additionalProperties: true },
        ),
        detail: detail('Merge into its metadata', BODY),
      },
    )
    .delete(
      '/:thread_id',
      async ({ params: { thread_id }, request, set }) => {
        const owner = ownerOf(request);
        await found(archive, request, thread_id);
        await runtime.deleteThread(owner, thread_id);
        log.info({ audit: 'thread deleted', thread_id, owner }, 'thread deleted');
        set.status = 204;
      },
      {
        params,
        response: { 204: Type.Void({ description: 'Nothing of it is left' }) },
        detail: detail('Delete it with all that belongs to it', FOUND),
      },
    )
    .get(
      '/:thread_id/state',
      async ({ params: { thread_id }, query, request }) => {
        const thread = await found(archive, request, thread_id);
        return stateOf(states, thread, undefined, isTrue(query.subgraphs));
      },
      {
        ...{ params, query: Subgraphs(), response: { 200: ThreadState } },
        detail: detail('Its state at the newest checkpoint', FOUND),
      },
    )
    .get(
      '/:thread_id/state/:checkpoint_id',
      async ({ params: { thread_id, checkpoint_id }, query, request }) => {
        const thread = await found(archive, request, thread_id);
        return stateOf(states, thread, { checkpoint_id }, isTrue(query.subgraphs));
      },
      {
        params: Type.Object({ thread_id: Type.String(), checkpoint_id: Type.String() }),
        ...{ query: Subgraphs(), response: { 200: ThreadState } },
        detail: detail('Its state at a checkpoint', FOUND),
      },
    )
    .post(
      '/:thread_id/state/checkpoint',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await found(archive, request, thread_id);
        return stateOf(states, thread, referenceIn(body.checkpoint), body.subgraphs ?? false);
      },
      {
        ...{ parse: 'json', params, response: { 200: ThreadState } },
        body: Type.Object(
          {
            checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
            subgraphs: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
          },
          { title: 'CheckpointQuery', additionalProperties: true },
        ),
        detail: detail('Its state at a checkpoint, without one at the newest', BODY),
      },
    )
    .get(
      '/:thread_id/history',
      async ({ params: { thread_id }, query, request }) => {
        const thread = await found(archive, request, thread_id);
        const limit = query.limit === undefined ? 10 : Number(query.limit);
        return historyOf(states, thread, { limit, before: query.before });
      },
      {
        params,
        query: Type.Object({
          limit: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,2}$', description: '1 to 999' })),
          before: Type.Optional(Type.String({ maxLength: 200, minLength: 1 })),
        }),
        response: { 200: Type.Array(ThreadState) },
        detail: detail('Its states, newest first', FOUND),
      },
    )
    .post(
      '/:thread_id/history',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await found(archive, request, thread_id);
        const { limit = 10, metadata } = body;
        const before = referenceIn(body.before)?.checkpoint_id;
        const checkpoint = referenceIn(body.checkpoint);
        return historyOf(states, thread, { limit, before, metadata: metadata ?? undefined, checkpoint });
      },
      {
        ...{ parse: 'json', params, body: History, response: { 200: Type.Array(ThreadState) } },
        detail: detail('Its states, newest first', BODY),
      },
    );

function Subgraphs() {
  return Type.Object({
    subgraphs: Type.Optional(
      Type.String({ pattern: '^(true|false|0|1)$', description: 'true, false, 1 or 0' }),
    ),
  });
}

const isTrue = (text: string | undefined) => text === 'true' || text === '1';

async function found(archive: Services['archive'], request: Request, id: string): Promise<StoredThread> {
  const thread = await archive.threads.find(ownerOf(request), id);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND', { detail: `Thread with ID ${shown(id)} not found` });
  return thread;
}

/** The id if it could be a real one; anything else is not echoed. */
function shown(id: string): string {
  return /^[\w.:-]{1,128}$/.test(id) ? id : '?';
}

async function threadBody(states: ThreadStates, thread: StoredThread): Promise<Thread> {
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

async function stateOf(
  states: ThreadStates,
  thread: StoredThread,
  checkpoint: ReturnType<typeof referenceIn>,
  subgraphs: boolean,
): Promise<ThreadState> {
  return toThreadState(thread.threadId, await states.at(thread, checkpoint, { subgraphs }));
}

async function historyOf(states: ThreadStates, thread: StoredThread, query: HistoryQuery) {
  return (await states.history(thread, query)).map((state) => toThreadState(thread.threadId, state));
}

/** Reads the forms in which clients name a checkpoint: its id, its reference, or a config that contains one. */
function referenceIn(given: unknown): { checkpoint_id?: string; checkpoint_ns?: string } | undefined {
  if (typeof given === 'string') return { checkpoint_id: given };
  if (typeof given !== 'object' || given === null) return undefined;
  const { configurable = given } = given as { configurable?: object };
  const { checkpoint_id, checkpoint_ns } = configurable as Partial<Static<typeof Checkpoint>>;
  return {
    ...(typeof checkpoint_id === 'string' && { checkpoint_id }),
    ...(typeof checkpoint_ns === 'string' && { checkpoint_ns }),
  };
}

type Asked = Static<typeof Search>;

/** `graph_id` and `assistant_id` of the metadata are those of the thread's last turn. */
function searchOf(owner: string, asked: Asked, { workflows }: Registry): ThreadSearch {
  const { ids, metadata, status, limit = 10, offset = 0, sort_by, sort_order } = asked;
  const { graph_id, assistant_id, ...rest } = metadata ?? {};
  const named = workflows.find(({ name }) => assistantId(name) === assistant_id)?.name;
  const graph = graph_id ?? (assistant_id === undefined ? undefined : (named ?? assistant_id));
  return {
    ...{ owner, limit, offset, metadata: rest },
    ids: ids ?? undefined,
    workflow: graph === undefined ? undefined : String(graph),
    status: status ?? undefined,
    sortBy: sort_by ?? ('created_at' as const),
    descending: sort_order !== 'asc',
  };
}

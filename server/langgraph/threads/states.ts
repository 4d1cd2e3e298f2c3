/** Routes for the states of a thread in LangGraph's protocol. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { HistoryQuery, ThreadStates } from '../../../runtime/threads/thread-states.ts';
import type { StoredThread } from '../../../state/threads/archive.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { JsonObject } from '../json-object.ts';
import { isTrue, QueryFlag } from '../query-flag.ts';
import { queryList } from '../query-list.ts';
import { findThread } from './find-thread.ts';
import { Select, SelectedState, selectedState } from './state-select.ts';
import { Checkpoint, checkpointOf, toThreadState } from './thread-state.ts';

const History = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    before: Type.Optional(Type.Union([Type.String(), JsonObject, Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    select: Select,
  },
  { title: 'HistoryQuery', additionalProperties: true },
);

const StateQuery = Type.Object({ subgraphs: QueryFlag });

const Update = Type.Object(
  {
    values: Type.Optional(
      Type.Unknown({ description: 'An object by channel, or a list of such objects; null writes no values' }),
    ),
    as_node: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    checkpoint_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { title: 'StateUpdate', additionalProperties: true },
);

const params = Type.Object({ thread_id: Type.String() });
const READ_ERRORS = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'INVALID_REQUEST');
const BODY_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
  ...(['CHECKPOINT_NOT_FOUND', 'PAYLOAD_TOO_LARGE'] as const),
);
const UPDATE_ERRORS = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
  ...(['CHECKPOINT_NOT_FOUND', 'THREAD_BUSY', 'PAYLOAD_TOO_LARGE'] as const),
);
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const langgraphStateRoutes = ({ archive, states, updates }: Services) =>
  new Elysia({ prefix: '/threads', name: 'langgraph-states' })
    .get(
      '/:thread_id/state',
      async ({ params: { thread_id }, query, request }) => {
        const thread = await findThread(archive, request, thread_id);
        return stateOf(states, thread, undefined, stateOptions(request, query));
      },
      {
        ...{ params, query: StateQuery, response: { 200: SelectedState } },
        detail: detail('Get the newest state of a thread', READ_ERRORS),
      },
    )
    .get(
      '/:thread_id/state/:checkpoint_id',
      async ({ params: { thread_id, checkpoint_id }, query, request }) => {
        const thread = await findThread(archive, request, thread_id);
        return stateOf(states, thread, { checkpoint_id }, stateOptions(request, query));
      },
      {
        params: Type.Object({ thread_id: Type.String(), checkpoint_id: Type.String() }),
        ...{ query: StateQuery, response: { 200: SelectedState } },
        detail: detail('Get the state of a thread at a checkpoint', READ_ERRORS),
      },
    )
    .post(
      '/:thread_id/state',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await findThread(archive, request, thread_id);
        const { checkpoint_id } = body;
        const checkpoint = { ...(checkpoint_id && { checkpoint_id }), ...parseReference(body.checkpoint) };
        const asNode = body.as_node ?? undefined;
        const config = await updates.update(thread, { values: body.values, asNode, checkpoint });
        return { checkpoint: checkpointOf(thread_id, config) };
      },
      {
        ...{
          parse: 'json',
          params,
          response: { 200: Type.Object({ checkpoint: Type.Union([Checkpoint, Type.Null()]) }) },
        },
        body: Update,
        detail: detail('Update the state of a thread as if a node had returned the values', UPDATE_ERRORS),
      },
    )
    .patch(
      '/:thread_id/state',
      async ({ params: { thread_id }, body, request, set }) => {
        const thread = await findThread(archive, request, thread_id);
        const metadata = { ...thread.metadata, ...body.metadata };
        await archive.threads.update(thread.owner, thread_id, { metadata });
        set.status = 204;
      },
      {
        ...{
          parse: 'json',
          params,
          response: { 204: Type.Void({ description: 'The metadata is changed' }) },
        },
        body: Type.Object(
          { metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])) },
          { title: 'StatePatch', additionalProperties: true },
        ),
        detail: detail("Change the thread's metadata, which is merged (for old clients)", BODY_ERRORS),
      },
    )
    .post(
      '/:thread_id/state/checkpoint',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await findThread(archive, request, thread_id);
        return stateOf(states, thread, parseReference(body.checkpoint), body);
      },
      {
        ...{ parse: 'json', params, response: { 200: SelectedState } },
        body: Type.Object(
          {
            checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
            subgraphs: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
            select: Select,
          },
          { title: 'CheckpointQuery', additionalProperties: true },
        ),
        detail: detail('Get the state of a thread at a checkpoint, the newest by default', BODY_ERRORS),
      },
    )
    .get(
      '/:thread_id/history',
      async ({ params: { thread_id }, query, request }) => {
        const thread = await findThread(archive, request, thread_id);
        const limit = query.limit === undefined ? 10 : Number(query.limit);
        return historyOf(states, thread, {
          limit,
          before: query.before,
          select: queryList(request, 'select'),
        });
      },
      {
        params,
        query: Type.Object({
          limit: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,2}$', description: '1 to 999' })),
          before: Type.Optional(Type.String({ maxLength: 200, minLength: 1 })),
        }),
        response: { 200: Type.Array(SelectedState) },
        detail: detail('List the states of a thread, newest first', READ_ERRORS),
      },
    )
    .post(
      '/:thread_id/history',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await findThread(archive, request, thread_id);
        const { limit = 10, metadata } = body;
        const before = parseReference(body.before)?.checkpoint_id;
        const checkpoint = parseReference(body.checkpoint);
        const query = { limit, before, metadata: metadata ?? undefined, checkpoint, select: body.select };
        return historyOf(states, thread, query);
      },
      {
        ...{ parse: 'json', params, body: History, response: { 200: Type.Array(SelectedState) } },
        detail: detail('Search the states of a thread, newest first', BODY_ERRORS),
      },
    );

function stateOptions(request: Request, { subgraphs }: Static<typeof StateQuery>) {
  return { subgraphs: isTrue(subgraphs), select: queryList(request, 'select') };
}

async function stateOf(
  states: ThreadStates,
  thread: StoredThread,
  checkpoint: ReturnType<typeof parseReference>,
  { subgraphs, select }: { subgraphs?: boolean | null; select?: Static<typeof Select> },
): Promise<SelectedState> {
  const state = await states.at(thread, checkpoint, { subgraphs: subgraphs ?? false });
  return selectedState(toThreadState(thread.threadId, state), select);
}

async function historyOf(
  states: ThreadStates,
  thread: StoredThread,
  { select, ...query }: HistoryQuery & { select: Static<typeof Select> | undefined },
): Promise<SelectedState[]> {
  const history = await states.history(thread, query);
  return history.map((state) => selectedState(toThreadState(thread.threadId, state), select));
}

interface CheckpointReference {
  checkpoint_id?: string;
  checkpoint_ns?: string;
  checkpoint_map?: Record<string, string>;
}

/** Parses the forms in which clients refer to a checkpoint: an id, a reference, or a config that has a reference. */
function parseReference(value: unknown): CheckpointReference | undefined {
  if (typeof value === 'string') return { checkpoint_id: value };
  if (typeof value !== 'object' || value === null) return undefined;
  const { configurable = value } = value as { configurable?: object };
  const { checkpoint_id, checkpoint_ns, checkpoint_map } = configurable as Partial<Static<typeof Checkpoint>>;
  return {
    ...(typeof checkpoint_id === 'string' && { checkpoint_id }),
    ...(typeof checkpoint_ns === 'string' && { checkpoint_ns }),
    ...(checkpoint_map && { checkpoint_map: checkpoint_map as Record<string, string> }),
  };
}

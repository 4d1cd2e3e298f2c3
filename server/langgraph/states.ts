/** A thread's states and history over LangGraph's protocol. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { HistoryQuery, ThreadStates } from '../../runtime/threads/thread-states.ts';
import type { StoredThread } from '../../state/archive.ts';
import type { Services } from '../services.ts';
import { textErrors } from './errors.ts';
import { foundThread } from './find-thread.ts';
import { Checkpoint, checkpointOf, ThreadState, toThreadState } from './thread-state.ts';

const JsonObject = Type.Record(Type.String(), Type.Unknown());

const History = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    before: Type.Optional(Type.Union([Type.String(), JsonObject, Type.Null()])),
    metadata: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
  },
  { title: 'HistoryQuery', additionalProperties: true },
);

const Update = Type.Object(
  {
    values: Type.Optional(Type.Unknown({ description: 'By channel, or a list of such objects; null: none' })),
    as_node: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    checkpoint: Type.Optional(Type.Union([JsonObject, Type.Null()])),
    checkpoint_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { title: 'StateUpdate', additionalProperties: true },
);

const params = Type.Object({ thread_id: Type.String() });
const FOUND = textErrors('UNAUTHORIZED', 'THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND', 'INVALID_REQUEST');
const BODY = textErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'THREAD_NOT_FOUND'] as const),
  ...(['CHECKPOINT_NOT_FOUND', 'PAYLOAD_TOO_LARGE'] as const),
);
const UPDATED = textErrors(
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
        const thread = await foundThread(archive, request, thread_id);
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
        const thread = await foundThread(archive, request, thread_id);
        return stateOf(states, thread, { checkpoint_id }, isTrue(query.subgraphs));
      },
      {
        params: Type.Object({ thread_id: Type.String(), checkpoint_id: Type.String() }),
        ...{ query: Subgraphs(), response: { 200: ThreadState } },
        detail: detail('Its state at a checkpoint', FOUND),
      },
    )
    .post(
      '/:thread_id/state',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await foundThread(archive, request, thread_id);
        const { checkpoint_id } = body;
        const checkpoint = { ...(checkpoint_id && { checkpoint_id }), ...referenceIn(body.checkpoint) };
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
        detail: detail('Change its state as if a node had given values', UPDATED),
      },
    )
    .post(
      '/:thread_id/state/checkpoint',
      async ({ params: { thread_id }, body, request }) => {
        const thread = await foundThread(archive, request, thread_id);
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
        const thread = await foundThread(archive, request, thread_id);
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
        const thread = await foundThread(archive, request, thread_id);
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

interface Reference {
  checkpoint_id?: string;
  checkpoint_ns?: string;
  checkpoint_map?: Record<string, string>;
}

/** Of the many forms in which clients name a checkpoint: its id, its reference, or a config that has that. */
function referenceIn(given: unknown): Reference | undefined {
  if (typeof given === 'string') return { checkpoint_id: given };
  if (typeof given !== 'object' || given === null) return undefined;
  const { configurable = given } = given as { configurable?: object };
  const { checkpoint_id, checkpoint_ns, checkpoint_map } = configurable as Partial<Static<typeof Checkpoint>>;
  return {
    ...(typeof checkpoint_id === 'string' && { checkpoint_id }),
    ...(typeof checkpoint_ns === 'string' && { checkpoint_ns }),
    ...(checkpoint_map && { checkpoint_map: checkpoint_map as Record<string, string> }),
  };
}

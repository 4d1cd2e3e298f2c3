/** Routes of the Responses API. A response is a run of a workflow. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { requestContext } from '../../chat/reply.ts';
import { PageLimit } from '../../http/schemas/paging.ts';
import type { Services } from '../../services.ts';
import { openAIErrors } from '../errors.ts';
import { literals } from '../schema-parts.ts';
import { THREAD_HEADER } from '../thread.ts';
import { create } from './create.ts';
import { findResponse } from './find-response.ts';
import { currentResponse, responseStream } from './read-response.ts';
import { deletedBody, Item, ResponseBody, ResponseRequest } from './schema.ts';

const Params = Type.Object({ response_id: Type.String() });
const READ_ERRORS = openAIErrors('RUN_NOT_FOUND');
const STREAM = {
  200: { description: 'The response, or a stream of its events', content: { 'text/event-stream': {} } },
};

const CREATE_ERRORS = openAIErrors(
  ...(['INVALID_REQUEST', 'INVALID_JSON', 'INVALID_WORKFLOW_INPUT', 'UNAUTHORIZED', 'RATE_LIMITED'] as const),
  ...(['WORKFLOW_NOT_FOUND', 'RUN_NOT_FOUND', 'THREAD_NOT_FOUND', 'CHECKPOINT_NOT_FOUND'] as const),
  ...(['THREAD_BUSY', 'NOT_INTERRUPTED', 'INTERRUPT_NOT_FOUND', 'IDEMPOTENCY_MISMATCH'] as const),
  ...(['RUN_CANCELLED', 'PAYLOAD_TOO_LARGE', 'MODEL_CALL_FAILED', 'CONFIGURATION_ERROR'] as const),
  ...(['RUN_TIMEOUT', 'WORKFLOW_CHANGED', 'RUN_CRASHED', 'BUDGET_EXCEEDED', 'INTERNAL_ERROR'] as const),
  ...(['OVERLOADED', 'SHUTTING_DOWN'] as const),
);

const ReadQuery = Type.Object({
  stream: Type.Optional(literals('true', 'false')),
  starting_after: Type.Optional(
    Type.String({
      pattern: '^\\d{1,15}$',
      description: 'the sequence_number of the last event that you received',
    }),
  ),
});

const ItemsQuery = Type.Object({
  limit: Type.Optional(PageLimit),
  after: Type.Optional(Type.String({ maxLength: 200 })),
  order: Type.Optional(literals('asc', 'desc')),
});

const ItemList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(Item),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  },
  { title: 'OpenAIResponseItemList' },
);

export const responseRoutes = (services: Services) =>
  new Elysia({ prefix: '/v1/responses', name: 'openai-responses' })
    .post('', ({ body, request, set }) => create(services, { body, request, set }), {
      ...{ parse: 'json', body: ResponseRequest, response: { 200: ResponseBody } },
      detail: {
        summary: 'Create a response: send input to a workflow',
        tags: ['openai'],
        responses: { ...STREAM, ...CREATE_ERRORS },
      },
    })
    .get(
      '/:response_id',
      async ({ params: { response_id }, query: { stream, starting_after }, request, set }) => {
        const run = await findResponse(services.runtime, request, response_id);
        set.headers[THREAD_HEADER] = run.threadId;
        if (stream !== 'true') return currentResponse(services, run);
        const after = starting_after === undefined ? -1 : Number(starting_after);
        const { requestId } = requestContext(set);
        return (await responseStream(services, run, { signal: request.signal, requestId, after })) as never;
      },
      {
        ...{ params: Params, query: ReadQuery, response: { 200: ResponseBody } },
        detail: {
          summary: 'Get a stored response; stream=true streams its events, past and new',
          tags: ['openai'],
          responses: { ...STREAM, ...READ_ERRORS },
        },
      },
    )
    .delete(
      '/:response_id',
      async ({ params: { response_id }, request }) => {
        const { owner, runId } = await findResponse(services.runtime, request, response_id);
        await services.runtime.stop(owner, runId, 'cancel');
        await services.archive.removal.run(runId);
        return { id: response_id, object: 'response' as const, deleted: true as const };
      },
      {
        ...{ params: Params, response: { 200: deletedBody('response', 'OpenAIResponseDeleted') } },
        detail: {
          summary: 'Delete a response, but not its thread',
          tags: ['openai'],
          responses: READ_ERRORS,
        },
      },
    )
    .post(
      '/:response_id/cancel',
      async ({ params: { response_id }, request, set }) => {
        const { owner, runId, threadId } = await findResponse(services.runtime, request, response_id);
        set.headers[THREAD_HEADER] = threadId;
        return currentResponse(services, await services.runtime.cancel(owner, runId));
      },
      {
        ...{ params: Params, response: { 200: ResponseBody } },
        detail: { summary: 'Cancel a response', tags: ['openai'], responses: READ_ERRORS },
      },
    )
    .get(
      '/:response_id/input_items',
      async ({ params: { response_id }, query, request }) => {
        const run = await findResponse(services.runtime, request, response_id);
        return itemPage(run.request.response?.items ?? [], query);
      },
      {
        ...{ params: Params, query: ItemsQuery, response: { 200: ItemList } },
        detail: { summary: 'List the input items of a response', tags: ['openai'], responses: READ_ERRORS },
      },
    );

/** Starts after the item `after`; at the first item if `after` is undefined or no item has this id. */
function itemPage(
  all: Record<string, unknown>[],
  { limit = '20', after, order = 'desc' }: (typeof ItemsQuery)['static'],
) {
  const ordered = order === 'desc' ? all.toReversed() : all;
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(start, start + Number(limit)) as { id: string; type: string }[];
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  };
}

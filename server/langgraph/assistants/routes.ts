/** Assistants: each graph is one from the start, and callers make others of the graphs. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { pageHeaders, selected } from '../pages.ts';
import { isTrue, QueryFlag } from '../query-flag.ts';
import {
  Assistant,
  assistantBody,
  Create,
  changedContent,
  newContent,
  Patch,
  Search,
  searchOf,
} from './assistant-shape.ts';
import { foundAssistant } from './find-assistant.ts';

const params = Type.Object({ assistant_id: Type.String() });
const BODY = ['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const;
const SEARCHED = textErrors(...BODY);
const MADE = textErrors(...BODY, 'WORKFLOW_NOT_FOUND', 'ASSISTANT_EXISTS');
const CHANGED = textErrors(...BODY, 'WORKFLOW_NOT_FOUND');
const FOUND = textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND');
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const assistantRoutes = ({ assistants, log }: Services) =>
  new Elysia({ prefix: '/assistants', name: 'langgraph-assistants' })
    .post(
      '',
      async ({ body, request }) => {
        const asked = { ...newContent(body), assistantId: body.assistant_id ?? undefined };
        return assistantBody(await assistants.create(ownerOf(request), asked, body.if_exists ?? 'raise'));
      },
      {
        ...{ parse: 'json', body: Create, response: { 200: Assistant } },
        detail: detail('Make an assistant of a graph', MADE),
      },
    )
    .post(
      '/search',
      async ({ body, request, set }) => {
        const { items, total } = await assistants.search(searchOf(ownerOf(request), body));
        pageHeaders(set, total, body);
        return items.map((one) => selected(assistantBody(one), body.select));
      },
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Array(Type.Partial(Assistant)) } },
        detail: detail('Find assistants', SEARCHED),
      },
    )
    .post(
      '/count',
      async ({ body, request }) => (await assistants.search(searchOf(ownerOf(request), body))).total,
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Integer() } },
        detail: detail('Count assistants', SEARCHED),
      },
    )
    .get(
      '/:assistant_id',
      async ({ params: { assistant_id }, request }) =>
        assistantBody(await foundAssistant({ assistants }, request, assistant_id)),
      { params, response: { 200: Assistant }, detail: detail('One assistant', FOUND) },
    )
    .patch(
      '/:assistant_id',
      async ({ params: { assistant_id }, body, request }) =>
        assistantBody(await assistants.change(ownerOf(request), assistant_id, changedContent(body))),
      {
        ...{ parse: 'json', params, body: Patch, response: { 200: Assistant } },
        detail: detail('Make a new version of it', CHANGED),
      },
    )
    .delete(
      '/:assistant_id',
      async ({ params: { assistant_id }, query, request }) => {
        const owner = ownerOf(request);
        const threads = isTrue(query.delete_threads);
        const id = await assistants.remove(owner, assistant_id, { threads });
        log.info({ audit: 'assistant deleted', assistant_id: id, threads, owner }, 'assistant deleted');
        return [id];
      },
      {
        ...{ params, query: Type.Object({ delete_threads: QueryFlag }) },
        response: { 200: Type.Array(Type.String()) },
        detail: detail('Delete it with its versions, and its threads if asked', FOUND),
      },
    );

/** Routes for assistants. Each graph has a default assistant; callers can create others. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { textErrors } from '../errors.ts';
import { countResponse, pageHeaders, selectFields } from '../pagination.ts';
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
import { findStoredAssistant } from './find-assistant.ts';

const params = Type.Object({ assistant_id: Type.String() });
const BODY_CODES = ['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const;
const SEARCH_ERRORS = textErrors(...BODY_CODES);
const CREATE_ERRORS = textErrors(...BODY_CODES, 'WORKFLOW_NOT_FOUND', 'ASSISTANT_EXISTS');
const CHANGE_ERRORS = textErrors(...BODY_CODES, 'WORKFLOW_NOT_FOUND');
const READ_ERRORS = textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND');
const detail = (summary: string, responses: ReturnType<typeof textErrors>) => ({
  ...{ summary, tags: ['langgraph'], responses },
});

export const assistantRoutes = ({ assistants, log }: Services) =>
  new Elysia({ prefix: '/assistants', name: 'langgraph-assistants' })
    .post(
      '',
      async ({ body, request }) => {
        const assistant = { ...newContent(body), assistantId: body.assistant_id ?? undefined };
        return assistantBody(await assistants.create(ownerOf(request), assistant, body.if_exists ?? 'raise'));
      },
      {
        ...{ parse: 'json', body: Create, response: { 200: Assistant } },
        detail: detail('Create an assistant', CREATE_ERRORS),
      },
    )
    .post(
      '/search',
      async ({ body, request, set }) => {
        const { items, total } = await assistants.search(searchOf(ownerOf(request), body));
        pageHeaders(set, total, body);
        return items.map((assistant) => selectFields(assistantBody(assistant), body.select));
      },
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Array(Type.Partial(Assistant)) } },
        detail: detail('Search assistants', SEARCH_ERRORS),
      },
    )
    .post(
      '/count',
      async ({ body, request }) =>
        countResponse((await assistants.search(searchOf(ownerOf(request), body))).total),
      {
        ...{ parse: 'json', body: Search, response: { 200: Type.Integer() } },
        detail: detail('Count assistants', SEARCH_ERRORS),
      },
    )
    .get(
      '/:assistant_id',
      async ({ params: { assistant_id }, request }) =>
        assistantBody(await findStoredAssistant({ assistants }, request, assistant_id)),
      { params, response: { 200: Assistant }, detail: detail('Get an assistant', READ_ERRORS) },
    )
    .patch(
      '/:assistant_id',
      async ({ params: { assistant_id }, body, request }) =>
        assistantBody(await assistants.change(ownerOf(request), assistant_id, changedContent(body))),
      {
        ...{ parse: 'json', params, body: Patch, response: { 200: Assistant } },
        detail: detail('Change an assistant, which creates a new version', CHANGE_ERRORS),
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
        detail: detail(
          'Delete an assistant with its versions; delete_threads also deletes its threads',
          READ_ERRORS,
        ),
      },
    );

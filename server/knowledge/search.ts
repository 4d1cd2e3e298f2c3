/** POST /knowledge/search: finds passages for a query, with their scores. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { KnowledgeOptions } from '../../graphs/knowledge-base-agent/state.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { Passages, passageShape } from './shape.ts';

const WORKFLOW = 'knowledge-base-agent';
const DEFAULT_LIMIT = 6;

const SearchRequest = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      description: 'What to search for: 1 to 2000 characters, at least one of them non-blank',
      error: 'expected text of 1 to 2000 characters, at least one of them non-blank',
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: "Maximum number of passages (default: the workflow's `top_k`)",
      }),
    ),
  },
  { title: 'SearchRequest', additionalProperties: true },
);

export const knowledgeSearchRoutes = ({ knowledge, registry }: Services) =>
  new Elysia({ name: 'knowledge-search' }).post(
    '/api/v1/knowledge/search',
    async ({ body: { query, limit }, request }) => {
      // By default with the workflow's settings, so that the search shows which passages an answer would use.
      const settings = registry.find(WORKFLOW)?.settings as Partial<KnowledgeOptions> | undefined;
      const { top_k = DEFAULT_LIMIT, threshold } = settings ?? {};
      const { found, passages } = await knowledge.open().search(query, {
        limit: limit ?? top_k,
        signal: request.signal,
        ...(threshold !== undefined && { threshold }),
      });
      return { found, passages: passages.map(passageShape) };
    },
    {
      parse: 'json',
      body: SearchRequest,
      response: { 200: Passages },
      detail: {
        summary: 'Search the knowledge base by words and meaning',
        tags: ['knowledge'],
        responses: errorResponses(
          ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'] as const),
          ...(['CONFIGURATION_ERROR', 'DATABASE_CONNECTION_FAILED', 'MODEL_CALL_FAILED'] as const),
        ),
      },
    },
  );

/** GET /search: full-text search over runs. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { type SearchHit, TEXT_KINDS, type TextKind } from '../../state/search/search.ts';
import { type SearchWord, searchWords } from '../../state/search/words.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { NextCursor, paging } from '../http/schemas/paging.ts';
import { runFilterIn, runFilterQuery } from '../runs/run-filter.ts';
import { RunStatus } from '../runs/shape.ts';
import type { Services } from '../services.ts';
import { namedOwner, OwnerField } from '../threads/shape.ts';
import { snippetOf } from './snippet.ts';

const PAGES = paging('search', ['number']);

const Kind = Type.Unsafe<TextKind>(
  Type.Union(
    TEXT_KINDS.map((kind) => Type.Literal(kind)),
    { description: 'The kind of text' },
  ),
);

const SearchParameters = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Words that an entry must all contain. "…" for adjacent words, wor* for a prefix',
  }),
  kind: Type.Optional(Kind),
  ...runFilterQuery,
  ...ownerQuery,
  ...PAGES.query,
});

const NullableName = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Hit = Type.Object(
  {
    kind: Kind,
    agent: NullableName('The agent of an output, otherwise null'),
    tool: NullableName('The tool of a tool call, otherwise null'),
    run_id: Type.String({ description: 'The run that contains the text' }),
    thread_id: Type.String({ description: 'The thread of the run' }),
    owner: OwnerField,
    workflow: Type.String({ description: 'The workflow of the run' }),
    status: RunStatus,
    created_at: Type.String({ format: 'date-time', description: 'When the run was accepted' }),
    snippet: Type.String({ description: 'The text around the first match' }),
    highlights: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'Where the match begins' }),
        end: Type.Integer({ description: 'Where it ends' }),
      }),
      {
        description:
          'The matches in the snippet, in UTF-16 code units: `start` is inclusive, `end` exclusive',
      },
    ),
  },
  { title: 'SearchHit' },
);

const SearchResult = Type.Object(
  {
    hits: Type.Array(Hit, { description: 'The texts that match' }),
    next_cursor: NextCursor,
    complete: Type.Boolean({
      description: 'False while older runs are still being added to the index: search again later',
    }),
  },
  { title: 'SearchResult' },
);

export const searchRoutes = ({ operators, search }: Pick<Services, 'operators' | 'search'>) =>
  new Elysia({ prefix: '/api/v1', name: 'search' }).get(
    '/search',
    async ({ query, request, route }) => {
      const { q, kind } = query;
      const words = searchWords(q);
      if (words.length === 0)
        throw new SkeinError('INVALID_REQUEST', { detail: 'q: expected at least one letter or digit' });
      const filter = {
        owner: operators.ofList({ request, route, owner: query.owner }),
        ...{ ...runFilterIn(query), words, kind },
      };
      const { items, next, isComplete } = await search.find(filter, PAGES.request(query));
      const hits = items.map((hit) => ({ ...toBody(hit, words), ...namedOwner(query, hit.owner) }));
      return { hits, next_cursor: PAGES.cursorOf(next), complete: isComplete };
    },
    {
      query: SearchParameters,
      response: { 200: SearchResult },
      detail: {
        summary: 'Search the text of runs',
        description:
          'Searches the questions, answers, outputs of agents, errors and tool calls of runs that have ended, newest first. Case and accents are ignored. Only the first 20,000 characters of each text are searched. With filters, a page searches 2,000 matching texts: it may contain fewer than `limit` hits, or none, while `next_cursor` continues with older ones.',
        tags: ['runs'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
      },
    },
  );

function toBody(hit: SearchHit, words: SearchWord[]) {
  const { kind, name, text, runId, threadId, workflow, status, createdAt } = hit;
  return {
    ...{ kind, agent: kind === 'output' ? name : null, tool: kind === 'tool_call' ? name : null },
    ...{
      run_id: runId,
      thread_id: threadId,
      workflow,
      status,
      created_at: new Date(createdAt).toISOString(),
    },
    ...snippetOf(text, words),
  };
}

/** DELETE /callers/{caller}: lets operators erase a caller and all of its data. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { CHATS } from '../authentication/guard.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';

const Erasure = Type.Object(
  {
    caller: Type.String({ description: 'The erased caller' }),
    erased: Type.Object(
      {
        threads: Type.Integer({ description: 'Threads' }),
        runs: Type.Integer({ description: 'Runs of its threads' }),
        messages: Type.Integer({ description: 'Messages of its threads' }),
        feedback: Type.Integer({ description: 'Feedback on its messages' }),
        store_items: Type.Integer({ description: 'Items of its store' }),
        assistants: Type.Integer({ description: "Assistants of LangGraph's protocol" }),
        crons: Type.Integer({ description: "Crons of LangGraph's protocol" }),
        documents: Type.Integer({
          description: 'Documents of the knowledge base that the caller was the last to upload',
        }),
      },
      { description: 'The number of deleted items' },
    ),
  },
  { title: 'Erasure' },
);

const params = Type.Object({
  caller: Type.String({
    pattern: '^((user|key|oidc):.+|anonymous)$',
    maxLength: 300,
    description: 'The caller to erase, such as user:ann',
    error: 'expected a caller such as user:ann',
  }),
});

export const callerRoutes = ({ operators, eraseCaller, counters, log }: Services) =>
  new Elysia({ prefix: '/api/v1/callers', name: 'callers' }).delete(
    '/:caller',
    async ({ params: { caller }, request }) => {
      const operator = ownerOf(request);
      if (!operators.includes(operator)) throw new SkeinError('NOT_FOUND');
      const { items, ...counts } = await eraseCaller(caller);
      await counters.undo({ reset: [`${CHATS} ${caller}`] });
      const erased = { ...counts, store_items: items };
      log.info({ audit: 'caller erased', caller: operator, owner: caller, erased }, 'caller erased');
      return { caller, erased };
    },
    {
      params,
      response: { 200: Erasure },
      detail: {
        summary: 'Erase a caller: cancel its runs and delete all of its data (operators only)',
        tags: ['callers'],
        responses: errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
      },
    },
  );

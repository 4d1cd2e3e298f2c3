/** /v1/conversations: a conversation is a thread that responses can continue. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import type { StoredThread } from '../../../state/threads/archive.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Services } from '../../services.ts';
import { openAIErrors } from '../errors.ts';
import { conversationId, conversationNotFound, threadIdOf } from './ids.ts';
import { ConversationBody, deletedBody, Metadata } from './schema.ts';

const Params = Type.Object({ conversation_id: Type.String() });
const READ_ERRORS = openAIErrors('THREAD_NOT_FOUND');
const response = { 200: ConversationBody };

const ConversationRequest = Type.Object(
  {
    metadata: Metadata,
    items: Type.Optional(Type.Unknown({ description: 'Not supported: a conversation starts empty' })),
  },
  { title: 'OpenAIConversationRequest', additionalProperties: true },
);

export const conversationRoutes = (services: Services) =>
  new Elysia({ prefix: '/v1/conversations', name: 'openai-conversations' })
    .post(
      '',
      async ({ body: { metadata, items = [] }, request }) => {
        if (!Array.isArray(items) || items.length > 0)
          throw new SkeinError('INVALID_REQUEST', {
            detail: 'items: not supported, because a conversation starts empty',
          });
        const threadId = Bun.randomUUIDv7();
        const thread = { threadId, metadata: metadata ?? {}, createdAt: Date.now() };
        await services.archive.threads.create(ownerOf(request), thread);
        return toConversation(thread);
      },
      {
        ...{ parse: 'json', body: ConversationRequest, response },
        detail: { summary: 'Create a conversation, which is a thread', tags: ['openai'] },
      },
    )
    .get(
      '/:conversation_id',
      async ({ params, request }) => toConversation(await findConversation(services, request, params)),
      {
        ...{ params: Params, response },
        detail: { summary: 'Get a conversation', tags: ['openai'], responses: READ_ERRORS },
      },
    )
    .post(
      '/:conversation_id',
      async ({ params, body, request }) => {
        const { threadId } = await findConversation(services, request, params);
        const metadata = body.metadata ?? {};
        await services.archive.threads.update(ownerOf(request), threadId, { metadata });
        return toConversation(await findConversation(services, request, params));
      },
      {
        ...{ parse: 'json', params: Params, response },
        body: Type.Object({ metadata: Metadata }, { additionalProperties: true }),
        detail: {
          summary: 'Replace the metadata of a conversation',
          tags: ['openai'],
          responses: READ_ERRORS,
        },
      },
    )
    .delete(
      '/:conversation_id',
      async ({ params, request }) => {
        const { threadId } = await findConversation(services, request, params);
        await services.runtime.deleteThread(ownerOf(request), threadId);
        return {
          ...{ id: params.conversation_id, object: 'conversation.deleted' as const },
          deleted: true as const,
        };
      },
      {
        ...{ params: Params },
        response: { 200: deletedBody('conversation.deleted', 'OpenAIConversationDeleted') },
        detail: {
          summary: 'Delete a conversation with its thread',
          tags: ['openai'],
          responses: READ_ERRORS,
        },
      },
    );

async function findConversation(
  { archive }: Services,
  request: Request,
  { conversation_id }: { conversation_id: string },
): Promise<StoredThread> {
  const thread = await archive.threads.find(ownerOf(request), threadIdOf(conversation_id));
  if (!thread) throw conversationNotFound();
  return thread;
}

function toConversation({
  threadId,
  createdAt,
  metadata,
}: Pick<StoredThread, 'threadId' | 'createdAt' | 'metadata'>) {
  return {
    id: conversationId(threadId),
    object: 'conversation' as const,
    created_at: Math.floor(createdAt / 1000),
    metadata,
  };
}

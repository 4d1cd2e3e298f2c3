/** The schema of a chat request of the AI SDK. */
import { type Static, Type } from '@sinclair/typebox';
import { ThreadId } from '../http/schemas/thread-id.ts';

const MessagePart = Type.Object({ type: Type.String() }, { additionalProperties: true });
export type MessagePart = Static<typeof MessagePart> & Record<string, unknown>;

const Message = Type.Object(
  {
    id: Type.Optional(Type.String()),
    role: Type.Union([Type.Literal('system'), Type.Literal('user'), Type.Literal('assistant')]),
    parts: Type.Array(MessagePart),
  },
  { title: 'UIMessage', additionalProperties: true },
);
export type Message = Static<typeof Message>;

export const AiChatRequest = Type.Object(
  {
    id: Type.String({
      pattern: ThreadId.pattern,
      description: `${ThreadId.description}: the id of the chat and of its thread`,
    }),
    messages: Type.Array(Message, {
      minItems: 1,
      description:
        'The last message is the turn: a user message, or an assistant message with outputs of `resume` calls. The thread has the others',
    }),
    trigger: Type.Optional(
      Type.Union([Type.Literal('submit-message'), Type.Literal('regenerate-message')], {
        description: '`regenerate-message` replaces the turn after the other messages',
      }),
    ),
    messageId: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'With a user message: replaces the message with this id and all later messages',
      }),
    ),
    on_disconnect: Type.Optional(
      Type.Union([Type.Literal('cancel'), Type.Literal('continue')], {
        default: 'continue',
        description: 'What happens to the run when the connection is closed',
      }),
    ),
  },
  { title: 'AiChatRequest', additionalProperties: true },
);
export type AiChatRequest = Static<typeof AiChatRequest>;

/** The shape of a chat's request on the wire. */
import { type Static, Type } from '@sinclair/typebox';
import { ThreadId } from '../http/thread-id.ts';

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
    id: Type.String({ pattern: ThreadId.pattern, description: "The chat's id, which is the thread's" }),
    messages: Type.Array(Message, {
      minItems: 1,
      description:
        'The last one is the turn: a question, or an answer of the workflow with outputs of its `resume` calls. The thread remembers the others',
    }),
    trigger: Type.Optional(
      Type.Union([Type.Literal('submit-message'), Type.Literal('regenerate-message')], {
        description:
          '`regenerate-message`: the turn takes the place of the one that followed the other messages',
      }),
    ),
    messageId: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'With a question: it takes the place of the message of that id, and of all after it',
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

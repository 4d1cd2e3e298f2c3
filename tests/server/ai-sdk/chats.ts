/** A chat as in a web page: the AI SDK's own class and transport. */
import { Chat } from '@ai-sdk/react';
import {
  type ChatInit,
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai';

export type Part = UIMessage['parts'][number];

type Transport = Omit<HttpChatTransportInitOptions<UIMessage>, 'api'>;

export function chatWith(
  api: string,
  init: ChatInit<UIMessage> = {},
  transport: Transport = {},
): Chat<UIMessage> {
  return new Chat({
    transport: new DefaultChatTransport({ api, ...transport }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    ...init,
  });
}

function textOf(message: UIMessage | undefined): string {
  return message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
}

/** The text of each message. */
export function textsOf({ messages }: Chat<UIMessage>): string[] {
  return messages.map(textOf);
}

export function partsOf({ messages }: Chat<UIMessage>): Part[] {
  return messages.at(-1)?.parts ?? [];
}

/** The pending calls of `resume` in the last message. */
export function pendingQuestions(chat: Chat<UIMessage>): { toolCallId: string; input: unknown }[] {
  return partsOf(chat).flatMap((part) =>
    part.type === 'tool-resume' && 'state' in part && part.state === 'input-available' && 'toolCallId' in part
      ? [{ toolCallId: part.toolCallId, input: part.input }]
      : [],
  );
}

/** What the offline model reads of a chat completion request, and how it is taken from the body. */

import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { leadingBlocks } from '../../text/block.ts';

const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const Content = Type.Union([
  Type.String(),
  Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) })),
]);

const Body = Type.Object({
  messages: Type.Array(Type.Object({ role: Type.String(), content: Nullable(Content) })),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(Type.Object({ include_usage: Nullable(Type.Boolean()) })),
  response_format: Nullable(
    Type.Object({ type: Type.String(), json_schema: Type.Optional(Type.Object({ schema: Type.Unknown() })) }),
  ),
});

export interface ChatMessage {
  role: string;
  /** Of a user message without its blocks of data. */
  text: string;
}

export interface ChatRequest {
  messages: ChatMessage[];
  /** The blocks of data that a system message points to, those of the last user message first. */
  data: string[];
  stream: boolean;
  includeUsage: boolean;
  /** The JSON schema the answer must have; undefined when plain text is asked for. */
  schema: unknown;
}

/** The request in a parsed JSON body, or undefined when it is no chat completion request. */
export function chatRequest(body: unknown): ChatRequest | undefined {
  if (!Value.Check(Body, body)) return undefined;
  const whole = body.messages.map(({ role, content }) => ({ role, text: plainText(content) }));
  const systems = whole.filter(isSystem).map(({ text }) => text);
  const data: string[] = [];
  const messages = whole.flatMap((message): ChatMessage[] => {
    if (message.role !== 'user') return [message];
    const { text, blocks } = leadingBlocks(message.text, systems);
    data.unshift(...blocks);
    return blocks.length > 0 && text === '' ? [] : [{ role: 'user', text }];
  });
  return {
    messages,
    data,
    stream: body.stream === true,
    includeUsage: body.stream_options?.include_usage === true,
    schema: body.response_format?.json_schema?.schema,
  };
}

export function lastUserText(request: ChatRequest): string {
  return request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
}

export function systemTexts(request: ChatRequest): string[] {
  return request.messages.filter(isSystem).map(({ text }) => text);
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

function plainText(content: Static<typeof Content> | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('\n');
}

/** The parts of a chat completion request that the offline model uses, and their parser. */

import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { leadingBlocks } from '../../text/block.ts';

const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const Content = Type.Union([
  Type.String(),
  Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) })),
]);

const Called = Type.Object({ id: Type.String(), function: Type.Object({ name: Type.String() }) });

const Body = Type.Object({
  messages: Type.Array(
    Type.Object({
      role: Type.String(),
      content: Nullable(Content),
      tool_calls: Nullable(Type.Array(Type.Unknown())),
      tool_call_id: Type.Optional(Type.String()),
    }),
  ),
  tools: Nullable(Type.Array(Type.Unknown())),
  tool_choice: Type.Optional(Type.Unknown()),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(Type.Object({ include_usage: Nullable(Type.Boolean()) })),
  response_format: Nullable(
    Type.Object({ type: Type.String(), json_schema: Type.Optional(Type.Object({ schema: Type.Unknown() })) }),
  ),
});

interface ChatMessage {
  role: string;
  /** The text; without the leading blocks of data in a user message. */
  text: string;
  /** The name of the tool, for the result of a tool. */
  name?: string | undefined;
}

/** A function that may be called, with the JSON schema of its arguments. */
export type Tool = Static<typeof FunctionTool>['function'];

const FunctionTool = Type.Object({
  function: Type.Object({ name: Type.String(), parameters: Type.Optional(Type.Unknown()) }),
});

export interface ChatRequest {
  messages: ChatMessage[];
  tools: Tool[];
  /** The blocks of data to which a system message points. Those of the last user message come first. */
  data: string[];
  stream: boolean;
  includeUsage: boolean;
  /** The JSON schema of the answer; undefined if plain text is requested. */
  schema: unknown;
}

/** The request in a parsed JSON body; undefined if the body isn't a chat completion request. */
export function chatRequest(body: unknown): ChatRequest | undefined {
  if (!Value.Check(Body, body)) return undefined;
  const called = new Map<string | undefined, string>();
  for (const call of body.messages.flatMap(({ tool_calls }) => tool_calls ?? []))
    if (Value.Check(Called, call)) called.set(call.id, call.function.name);
  const whole = body.messages.map(({ role, content, tool_call_id }): ChatMessage => {
    const name = called.get(tool_call_id);
    return { role, text: plainText(content), ...(name === undefined ? {} : { name }) };
  });
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
    tools: body.tool_choice === 'none' ? [] : (body.tools ?? []).flatMap(functionIn),
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

function functionIn(tool: unknown): Tool[] {
  return Value.Check(FunctionTool, tool) ? [tool.function] : [];
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

function plainText(content: Static<typeof Content> | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('\n');
}

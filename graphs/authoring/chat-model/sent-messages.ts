/** Converts LangChain messages to the messages of a model call. */
import type { BaseMessage } from '@langchain/core/messages';
import type { convertMessagesToCompletionsMessageParams } from '@langchain/openai';
import type { CompletionRequest, WireMessage } from '../../../tools/models/provider/endpoint.ts';

type Sent = ReturnType<typeof convertMessagesToCompletionsMessageParams>[number];

/**
 * Loads the library at first use, as the model's client does. Unlike `messages`, `sent` contains tool calls, their results and
 * content other than text.
 */
export async function sentMessages(
  messages: BaseMessage[],
): Promise<Pick<CompletionRequest, 'messages' | 'sent'>> {
  const { convertMessagesToCompletionsMessageParams } = await import('@langchain/openai');
  const sent = convertMessagesToCompletionsMessageParams({ messages });
  return { sent, messages: sent.map(readable) };
}

const ROLES: Record<string, WireMessage['role']> = {
  assistant: 'assistant',
  developer: 'system',
  system: 'system',
  function: 'tool',
  tool: 'tool',
};

/** The message as text: a tool call is `add({"a":1})`, an image is `[image_url]`. */
function readable(message: Sent): WireMessage {
  const { role, content } = message;
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(textOf);
  const calls = ('tool_calls' in message && message.tool_calls) || [];
  const called = calls.map((call) => {
    const { name, arguments: given } =
      'function' in call ? call.function : { name: call.type, arguments: '' };
    return `${name}(${given})`;
  });
  const text = [...parts, ...called].filter((part) => part !== '').join('\n');
  return { role: ROLES[role] ?? 'user', content: text };
}

function textOf(part: string | { type: string }): string {
  if (typeof part === 'string') return part;
  return 'text' in part ? String(part.text) : `[${part.type}]`;
}

/** Builds a model's messages from a conversation. */
import type { BaseMessage } from '@langchain/core/messages';
import { textOf } from '../../../state/threads/conversation.ts';
import type { WireMessage } from '../../../tools/models/provider/endpoint.ts';
import { dataBlock, setApart as extractBlocks, pointerTo } from '../../../tools/text/block.ts';
import { untrustedJson } from '../../../tools/text/untrusted-json.ts';

const ROLES: Record<string, WireMessage['role']> = { human: 'user', ai: 'assistant', system: 'system' };

/**
 * The system prompt, then the window's messages as plain text. Data goes into user messages: the summary of messages
 * before the window precedes the first one, and the blocks of the system prompt precede the last.
 */
export function conversationMessages(
  system: string,
  summary: string,
  messages: BaseMessage[],
): WireMessage[] {
  const memory = summary === '' ? '' : `\n\n${MEMORY}`;
  const blocks: string[] = [];
  const withoutData = ({ role, content }: WireMessage): WireMessage => {
    if (role !== 'system') return { role, content };
    const extracted = extractBlocks(content);
    blocks.push(...extracted.blocks);
    return { role, content: extracted.text };
  };
  const first = withoutData({ role: 'system', content: system });
  const conversation = spoken(messages).map((message) =>
    withoutData({ role: ROLES[message.getType()] ?? 'user', content: textOf(message) }),
  );
  const remembered = summary === '' ? [] : [summaryText(summary)];
  return [
    { ...first, content: first.content + memory },
    ...beganWith(remembered, endedBy(blocks, conversation)),
  ];
}

/**
 * Drops tool calls and results, which other kinds of graphs leave on a thread: a model without these
 * tools can't use them.
 */
export function spoken(messages: BaseMessage[]): BaseMessage[] {
  return messages.filter((message) => {
    const type = message.getType();
    return type !== 'tool' && !(type === 'ai' && textOf(message) === '');
  });
}

const MEMORY = `Summary of the earlier conversation: ${pointerTo('conversation_summary')}`;

/** One line of JSON per line of the summary, which is untrusted: a model wrote it from users' messages. */
export function summaryText(summary: string): string {
  const lines = summary.split('\n').map((line) => untrustedJson(line, line.length));
  return dataBlock('conversation_summary', lines);
}

/** Adds to the existing message instead of adding one: some models require alternating user and assistant messages. */
function beganWith(blocks: string[], [first, ...others]: WireMessage[]): WireMessage[] {
  if (first?.role === 'user') return [withData(blocks, first), ...others];
  return [...userMessage(blocks), ...(first ? [first, ...others] : [])];
}

function endedBy(blocks: string[], messages: WireMessage[]): WireMessage[] {
  const last = messages.at(-1);
  if (last?.role === 'user') return [...messages.slice(0, -1), withData(blocks, last)];
  return [...messages, ...userMessage(blocks)];
}

function withData(blocks: string[], { role, content }: WireMessage): WireMessage {
  return { role, content: [...blocks, content].join('\n\n') };
}

function userMessage(blocks: string[]): WireMessage[] {
  return blocks.length === 0 ? [] : [{ role: 'user', content: blocks.join('\n\n') }];
}

/** What the input of a response asks: a turn, or to go on with an interrupt. */

import { SkeinError } from '../../../state/errors.ts';
import type { ConversationMessage } from '../../../state/runs.ts';
import { contentOf, shownText } from '../content.ts';
import type { CallAnswer } from '../interrupt-calls.ts';
import type { InputItem, ResponseRequest } from './schema.ts';

export interface Input {
  /** As they can be read again. */
  items: Record<string, unknown>[];
  asked: { prompt: string; conversation: ConversationMessage[] | undefined } | { answers: CallAnswer[] };
}

/** `onThread`: something was said before, and perhaps asked. Throws INVALID_REQUEST. */
export function inputOf(
  { input, instructions }: ResponseRequest,
  { onThread }: { onThread: boolean },
): Input {
  const given: InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const items = given.map(storedItem);
  const begins = given.findLastIndex(({ type }) => type !== 'function_call_output') + 1;
  const answers = given.slice(begins);
  if (answers.length > 0) {
    if (!onThread) throw invalid('a function_call_output takes previous_response_id or conversation');
    return { items, asked: { answers: answers.map(answerOf) } };
  }
  const system: ConversationMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  const messages = [...system, ...given.flatMap(messageOf)];
  const question = messages.findLast(({ role }) => role === 'user');
  const prompt = question ? shownText(question.content ?? '') : '';
  if (prompt.trim() === '') throw invalid('expected a user message with content');
  const isPrompt = messages.length === 1 && typeof question?.content === 'string';
  return { items, asked: { prompt, conversation: isPrompt ? undefined : messages } };
}

function answerOf({ call_id: id, output }: InputItem): CallAnswer {
  if (id === undefined) throw invalid('a function_call_output has a call_id');
  return { id, output: shownText(contentOf(output)) };
}

function storedItem(item: InputItem): Record<string, unknown> {
  const type = item.type ?? 'message';
  const id = item.id ?? `${type === 'message' ? 'msg' : 'item'}_${Bun.randomUUIDv7()}`;
  if (type !== 'message') return { ...item, id, type };
  const kind = item.role === 'assistant' ? 'output_text' : 'input_text';
  const content = typeof item.content === 'string' ? [{ type: kind, text: item.content }] : item.content;
  return { ...item, id, type, status: 'completed', content: content ?? [] };
}

/** What a model thought is no part of the conversation. */
function messageOf(item: InputItem): ConversationMessage[] {
  switch (item.type ?? 'message') {
    case 'message':
      return [{ role: roleOf(item), content: contentOf(item.content) }];
    case 'function_call': {
      const call = { name: item.name ?? '', arguments: item.arguments ?? '{}' };
      const tool_calls = [{ id: item.call_id ?? '', type: 'function', function: call }];
      return [{ role: 'assistant', content: '', tool_calls }];
    }
    case 'function_call_output':
      return [{ role: 'tool', content: shownText(contentOf(item.output)), tool_call_id: item.call_id ?? '' }];
    case 'reasoning':
      return [];
    default:
      throw invalid('expected items of the types message, function_call and function_call_output');
  }
}

function roleOf({ role }: InputItem): ConversationMessage['role'] {
  if (role === undefined) throw invalid('a message has a role');
  return role === 'developer' ? 'system' : role;
}

function invalid(rule: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `input: ${rule}` });
}

/** Converts the input of a response to the input of a turn, or to answers to interrupts. */
import { SkeinError } from '../../../state/errors.ts';
import type { ConversationMessage } from '../../../state/threads/runs.ts';
import { contentOf, displayText } from '../content.ts';
import type { CallOutput } from '../interrupt-calls.ts';
import type { InputItem, ResponseRequest } from './schema.ts';

export interface Input {
  /** The input items as they are stored and listed. */
  items: Record<string, unknown>[];
  turnInput: { prompt: string; conversation: ConversationMessage[] | undefined } | { answers: CallOutput[] };
}

/** `onThread`: whether the response continues a thread, which may have interrupts to answer. Throws INVALID_REQUEST. */
export function inputOf(
  { input, instructions }: ResponseRequest,
  { onThread }: { onThread: boolean },
): Input {
  const inputItems: InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const items = inputItems.map(storedItem);
  const firstAnswer = inputItems.findLastIndex(({ type }) => type !== 'function_call_output') + 1;
  const answers = inputItems.slice(firstAnswer);
  if (answers.length > 0) {
    if (!onThread) throw invalid('a function_call_output requires previous_response_id or conversation');
    return { items, turnInput: { answers: answers.map(answerOf) } };
  }
  const system: ConversationMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  const messages = [...system, ...inputItems.flatMap(messageOf)];
  const question = messages.findLast(({ role }) => role === 'user');
  const prompt = question ? displayText(question.content ?? '') : '';
  if (prompt.trim() === '') throw invalid('expected a user message with content');
  const isPlainText = messages.length === 1 && typeof question?.content === 'string';
  return { items, turnInput: { prompt, conversation: isPlainText ? undefined : messages } };
}

function answerOf({ call_id: id, output }: InputItem): CallOutput {
  if (id === undefined) throw invalid('a function_call_output requires call_id');
  return { id, output: displayText(contentOf(output)) };
}

function storedItem(item: InputItem): Record<string, unknown> {
  const type = item.type ?? 'message';
  const id = item.id ?? `${type === 'message' ? 'msg' : 'item'}_${Bun.randomUUIDv7()}`;
  if (type !== 'message') return { ...item, id, type };
  const kind = item.role === 'assistant' ? 'output_text' : 'input_text';
  const content = typeof item.content === 'string' ? [{ type: kind, text: item.content }] : item.content;
  return { ...item, id, type, status: 'completed', content: content ?? [] };
}

/** Returns [] for reasoning items, which aren't part of the conversation. */
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
      return [
        { role: 'tool', content: displayText(contentOf(item.output)), tool_call_id: item.call_id ?? '' },
      ];
    case 'reasoning':
      return [];
    default:
      throw invalid('expected items of the types message, function_call and function_call_output');
  }
}

function roleOf({ role }: InputItem): ConversationMessage['role'] {
  if (role === undefined) throw invalid('a message requires role');
  return role === 'developer' ? 'system' : role;
}

function invalid(rule: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `input: ${rule}` });
}

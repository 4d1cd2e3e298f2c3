/** The user's message as a turn's question. */
import { SkeinError } from '../../state/errors.ts';
import type { Message, Part } from './schema.ts';

type Block = Record<string, unknown>;

export interface Question {
  /** What people see of it. */
  prompt: string;
  content: string | Block[];
}

/** Throws INVALID_REQUEST. */
export function questionIn(messages: Message[]): Question {
  const { content } = messages.findLast(({ role }) => role === 'user') ?? {};
  const blocks = Array.isArray(content)
    ? content.map(blockOf)
    : [{ type: 'text', text: textIn('content', content ?? '') }];
  const isText = blocks.every(({ type }) => type === 'text');
  const text = blocks.map((block: Block) => block.text ?? '').join('');
  const prompt = text.trim() === '' && !isText ? blocks.map(({ type }) => `[${type}]`).join(' ') : text;
  if (prompt.trim() === '')
    throw new SkeinError('INVALID_REQUEST', { detail: 'messages: expected a user message with content' });
  return { prompt, content: isText ? text : blocks };
}

/** As chat completions and LangChain's messages have it. */
function blockOf(part: Part): Block & { type: string } {
  if (part.type === 'text') return { type: 'text', text: textIn('text', part.text ?? '') };
  const { type, value, mimeType = '' } = (part.source ?? {}) as Record<string, unknown>;
  const place = textIn('source.value', value ?? '');
  const url = type === 'data' ? `data:${textIn('source.mimeType', mimeType)};base64,${place}` : place;
  return part.type === 'image'
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url } };
}

/** Throws INVALID_REQUEST, naming the field of the message. */
function textIn(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SkeinError('INVALID_REQUEST', { detail: `messages: ${field}: expected text` });
}

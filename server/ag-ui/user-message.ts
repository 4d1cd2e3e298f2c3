/** Converts the last user message to the prompt and the content of a turn. */
import { SkeinError } from '../../state/errors.ts';
import type { Message, Part } from './schema.ts';

type Block = Record<string, unknown>;

export interface UserMessage {
  /** The text that is stored and shown. */
  prompt: string;
  content: string | Block[];
}

/** Throws INVALID_REQUEST if there is no user message with content. */
export function parseUserMessage(messages: Message[]): UserMessage {
  const { content } = messages.findLast(({ role }) => role === 'user') ?? {};
  const blocks = Array.isArray(content)
    ? content.map(blockOf)
    : [{ type: 'text', text: textField('content', content ?? '') }];
  const isText = blocks.every(({ type }) => type === 'text');
  const text = blocks.map((block: Block) => block.text ?? '').join('');
  const prompt = text.trim() === '' && !isText ? blocks.map(({ type }) => `[${type}]`).join(' ') : text;
  if (prompt.trim() === '')
    throw new SkeinError('INVALID_REQUEST', { detail: 'messages: expected a user message with content' });
  return { prompt, content: isText ? text : blocks };
}

/** Converts a part to the format of chat completions and LangChain messages. */
function blockOf(part: Part): Block & { type: string } {
  if (part.type === 'text') return { type: 'text', text: textField('text', part.text ?? '') };
  const { type, value, mimeType = '' } = (part.source ?? {}) as Record<string, unknown>;
  const source = textField('source.value', value ?? '');
  const url = type === 'data' ? `data:${textField('source.mimeType', mimeType)};base64,${source}` : source;
  return part.type === 'image'
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url } };
}

/** Throws INVALID_REQUEST, naming the field of the message. */
function textField(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SkeinError('INVALID_REQUEST', { detail: `messages: ${field}: expected text` });
}

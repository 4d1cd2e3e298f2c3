/** Converts a user message to the prompt and the conversation of a turn. */
import type { TurnRequest } from '../../runtime/intake/turn.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Message, MessagePart } from './schema.ts';

type Block = Record<string, unknown>;

/** Throws INVALID_REQUEST if the message is empty. */
export function parseUserMessage({ parts }: Message): Pick<TurnRequest, 'prompt' | 'conversation'> {
  const blocks = parts.flatMap(blockOf);
  const text = blocks.map(({ text }) => text ?? '').join('');
  const files = blocks.filter(({ type }) => type !== 'text');
  const prompt = text.trim() === '' ? files.map(({ type }) => `[${type}]`).join(' ') : text;
  if (prompt === '')
    throw new SkeinError('INVALID_REQUEST', { detail: 'messages: the last message is empty' });
  return { prompt, conversation: files.length === 0 ? undefined : [{ role: 'user', content: blocks }] };
}

/** Converts a part to the format of chat completions and LangChain messages. Returns [] for parts that only the page uses. */
function blockOf(part: MessagePart): Block[] {
  if (part.type === 'text' && typeof part.text === 'string') return [{ type: 'text', text: part.text }];
  if (part.type !== 'file') return [];
  const { url, mediaType, filename } = part;
  if (typeof url !== 'string' || typeof mediaType !== 'string')
    throw new SkeinError('INVALID_REQUEST', { detail: 'messages: a file part requires url and mediaType' });
  if (mediaType.startsWith('image/')) return [{ type: 'image_url', image_url: { url } }];
  return [{ type: 'file', file: { file_data: url, ...(filename !== undefined && { filename }) } }];
}

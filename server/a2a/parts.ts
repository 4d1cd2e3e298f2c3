/** Creates and reads the parts of A2A messages: text, structured data and files. */
import type { Part } from '@a2a-js/sdk';
import { asJson, chatMessageJson } from '../../graphs/adoption/message-json.ts';

/** `metadata`: what the text belongs to, such as an interrupt or an agent. */
export function textPart(value: string, metadata?: Record<string, unknown>): Part {
  return { content: { $case: 'text', value }, metadata, filename: '', mediaType: 'text/plain' };
}

/** Serializes `value` as JSON, with LangChain messages in the format of chat completions. */
export function dataPart(value: unknown, metadata?: Record<string, unknown>): Part {
  const json = asJson(value, chatMessageJson);
  return { content: { $case: 'data', value: json }, metadata, filename: '', mediaType: 'application/json' };
}

export interface Contents {
  /** The text parts, joined with line breaks. */
  text: string;
  data: unknown[];
  /** Content parts in the format of chat completions and LangChain messages. */
  files: Record<string, unknown>[];
}

/** Separates the parts of a message into text, data and files. Raw bytes become data URLs. */
export function contentsOf(parts: Part[]): Contents {
  const texts: string[] = [];
  const contents: Contents = { text: '', data: [], files: [] };
  for (const part of parts) {
    const { content } = part;
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case === 'data') contents.data.push(content.value);
    else if (content) contents.files.push(filePart(part));
  }
  return { ...contents, text: texts.join('\n') };
}

function filePart({ content, mediaType, filename }: Part): Record<string, unknown> {
  const type = mediaType || 'application/octet-stream';
  const url =
    content?.$case === 'raw'
      ? `data:${type};base64,${Buffer.from(content.value).toString('base64')}`
      : String(content?.value);
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { file_data: url, ...(filename && { filename }) } };
}

/** Parses the content parts of a message in the formats of OpenAI, Anthropic and LangChain. */
import { type DataUrl, dataUrlIn, dataUrlOf } from './data-url.ts';

export type ContentPart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** An image, audio, a video or a file. */
  | { kind: 'media'; media: Media }
  | { kind: 'other'; value: unknown };

export interface Media {
  what: 'image' | 'audio' | 'video' | 'file';
  name: string | undefined;
  /** Undefined if the message only has an address. */
  data: DataUrl | undefined;
  /** An address, which the studio never loads. */
  address: string | undefined;
}

type Fields = Record<string, unknown>;

/** Undefined if the value isn't a list of parts. */
export function partsIn(content: unknown): ContentPart[] | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const parts = content.map(partOf);
  return parts.some(({ kind }) => kind !== 'other') ? parts : undefined;
}

function partOf(value: unknown): ContentPart {
  if (typeof value === 'string') return { kind: 'text', text: value };
  const media = mediaIn(value);
  if (media) return { kind: 'media', media };
  const { type, text, thinking, reasoning, summary } = fieldsOf(value);
  if (type === 'thinking' || type === 'reasoning') {
    const words = [thinking, reasoning, text].find((one) => typeof one === 'string') ?? summaryText(summary);
    if (typeof words === 'string') return { kind: 'reasoning', text: words };
  }
  const isText = type === 'text' || type === 'input_text' || type === 'output_text' || type === 'text-plain';
  if (isText && typeof text === 'string') return { kind: 'text', text };
  return { kind: 'other', value };
}

const KINDS: Record<string, Media['what']> = {
  image_url: 'image',
  input_image: 'image',
  image: 'image',
  input_audio: 'audio',
  audio: 'audio',
  video: 'video',
  file: 'file',
  input_file: 'file',
  document: 'file',
};

/** A part with media; undefined for other values. */
export function mediaIn(value: unknown): Media | undefined {
  const part = fieldsOf(value);
  const what = Object.hasOwn(KINDS, String(part.type)) ? KINDS[String(part.type)] : undefined;
  if (!what) return undefined;
  const inner = { ...part, ...fieldsOf(part[String(part.type)]), ...fieldsOf(part.source) };
  const name = textIn(inner, ['filename', 'file_name', 'name', 'title', 'file_id', 'fileId', 'id']);
  const type = textIn(inner, ['mime_type', 'mimeType', 'media_type']) ?? soundType(inner.format);
  const given = textIn(inner, ['data', 'file_data']);
  const address = textIn(inner, ['url', 'image_url']) ?? (what === 'image' ? given : undefined);
  const data =
    dataUrlIn(address) ?? dataUrlIn(given) ?? (given === undefined ? undefined : dataUrlOf(given, type));
  if (!data && address === undefined && name === undefined) return undefined;
  return { what, name, data, address: data ? undefined : address };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textIn(fields: Fields, names: string[]): string | undefined {
  const found = names.map((name) => fields[name]).find((one) => typeof one === 'string' && one !== '');
  return found as string | undefined;
}

function soundType(format: unknown): string | undefined {
  return typeof format === 'string' ? `audio/${format}` : undefined;
}

function summaryText(summary: unknown): string | undefined {
  if (!Array.isArray(summary)) return undefined;
  return summary.map((one) => textIn(fieldsOf(one), ['text']) ?? '').join('\n\n');
}

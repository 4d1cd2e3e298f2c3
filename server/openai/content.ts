/** The content of a message: text, or parts of which some may be text. */
import { Type } from '@sinclair/typebox';

export const ContentPart = Type.Object({ type: Type.String() }, { additionalProperties: true });
export const Content = Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: 1000 })]);

export type Part = Record<string, unknown>;

/** The texts of parts are one text; parts that are something else stay among them. */
export function contentOf(content: string | Part[] | null | undefined): string | Part[] {
  if (!Array.isArray(content)) return content ?? '';
  const texts = content.map(textOf);
  return texts.includes(undefined) ? content.map(plainPart) : texts.join('');
}

/** What people see of it: its text, or without any the kinds of its parts. */
export function shownText(content: string | Part[]): string {
  if (typeof content === 'string') return content;
  const text = content.map((part) => textOf(part) ?? '').join('');
  return text.trim() === '' ? content.map(({ type }) => `[${type}]`).join(' ') : text;
}

const TEXTS = ['text', 'input_text', 'output_text', 'refusal'];

function textOf(part: Part): string | undefined {
  const text = part.text ?? part.refusal;
  return TEXTS.includes(String(part.type)) && typeof text === 'string' ? text : undefined;
}

/** As chat completions and LangChain's messages have it, where the part is one of the Responses API. */
function plainPart(part: Part): Part {
  const text = textOf(part);
  if (text !== undefined) return { type: 'text', text };
  const { type, ...rest } = part;
  if (type === 'input_image')
    return { type: 'image_url', image_url: { url: rest.image_url, detail: rest.detail ?? 'auto' } };
  return type === 'input_file' ? { type: 'file', file: rest } : part;
}

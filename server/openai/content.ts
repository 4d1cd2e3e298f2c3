/** The content of a message: text, or a list of parts. */
import { Type } from '@sinclair/typebox';

export const ContentPart = Type.Object({ type: Type.String() }, { additionalProperties: true });
export const Content = Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: 1000 })]);

export type Part = Record<string, unknown>;

/** Joins the parts into a string if all are text. Otherwise returns the parts in the format of chat completions. */
export function contentOf(content: string | Part[] | null | undefined): string | Part[] {
  if (!Array.isArray(content)) return content ?? '';
  const texts = content.map(textOf);
  return texts.includes(undefined) ? content.map(chatPart) : texts.join('');
}

/** The text of the content. Without any text, the types of its parts, such as `[image_url]`. */
export function displayText(content: string | Part[]): string {
  if (typeof content === 'string') return content;
  const text = content.map((part) => textOf(part) ?? '').join('');
  return text.trim() === '' ? content.map(({ type }) => `[${type}]`).join(' ') : text;
}

const TEXT_TYPES = ['text', 'input_text', 'output_text', 'refusal'];

function textOf(part: Part): string | undefined {
  const text = part.text ?? part.refusal;
  return TEXT_TYPES.includes(String(part.type)) && typeof text === 'string' ? text : undefined;
}

/** Converts a part of the Responses API to the format of chat completions and LangChain messages. */
function chatPart(part: Part): Part {
  const text = textOf(part);
  if (text !== undefined) return { type: 'text', text };
  const { type, ...rest } = part;
  if (type === 'input_image')
    return { type: 'image_url', image_url: { url: rest.image_url, detail: rest.detail ?? 'auto' } };
  return type === 'input_file' ? { type: 'file', file: rest } : part;
}

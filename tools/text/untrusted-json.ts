/**
 * JSON for prompts: a single line, truncated, and without characters that could end a tag or change the direction of the text.
 */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export const CUT = '…';

// Angle brackets, control characters, line separators, and marks that change the direction of text.
const UNSAFE = /[<>\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * `JSON.parse` can parse the result. Text longer than `length` is truncated and ends with an ellipsis. Nested values become
 * such text.
 */
export function untrustedJson(value: Json | undefined, length: number): string {
  const flat = typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
  const bounded = typeof flat === 'string' && flat.length > length ? `${flat.slice(0, length)}${CUT}` : flat;
  const text = JSON.stringify(typeof bounded === 'string' ? bounded.toWellFormed() : bounded);
  return text.replace(UNSAFE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The JSON values of a line; undefined if they are not valid, because people may edit the prompts that contain them. */
export function jsonValues(text: string): Json[] | undefined {
  try {
    return JSON.parse(`[${text}]`);
  } catch {
    return undefined;
  }
}

/** The lines between a tag alone on its line and the next closing tag; undefined if there is no such block. */
export function taggedLines(text: string, tag: string): string[] | undefined {
  const lines = text.split('\n');
  const start = lines.indexOf(`<${tag}>`);
  const end = lines.indexOf(`</${tag}>`, start + 1);
  return start < 0 || end < 0 ? undefined : lines.slice(start + 1, end);
}

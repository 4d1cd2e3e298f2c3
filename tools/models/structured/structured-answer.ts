/** Finds the JSON value in a model's answer, despite other text and mistakes of small models. */
import type { TSchema } from '@sinclair/typebox';
import { fitSchema } from '../../json/fit-schema.ts';
import { lenientJson } from '../../json/lenient-json.ts';

/**
 * The last JSON value in a text that has the schema's type, fitted to the schema; otherwise undefined. Text between
 * `<think>` and `</think>`, or before an unmatched `</think>`, is ignored. The text after an unclosed `<think>` is not ignored.
 * An array with a single object counts as the object.
 */
export function structuredAnswer(text: string, schema: TSchema): unknown {
  const json = lenientJson(text);
  let last: unknown;
  /** The value of `last` before each open `<think>`. */
  const before: unknown[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '<') {
      const tag = tagAt(text, at);
      if (tag === 'opening') before.push(last);
      if (tag === 'closing') last = before.pop();
    } else if (char === '{' || char === '[') {
      const found = json.valueAt(at);
      if (json.hopeless) return undefined;
      if (!found) continue;
      if (isOfKind(found.value, schema)) last = found.value;
      at = found.end - 1;
    }
  }
  return last === undefined ? undefined : fitSchema(unwrapped(last, schema), schema);
}

function tagAt(text: string, at: number): 'opening' | 'closing' | undefined {
  const [, slash] = /^<(\/?)think(?:ing)?>/i.exec(text.slice(at, at + LONGEST_TAG)) ?? [];
  return slash === undefined ? undefined : slash === '' ? 'opening' : 'closing';
}

const LONGEST_TAG = '</thinking>'.length;

/** If the schema is not that of an array, ignores arrays without objects, because `[1]` after the answer may be a citation. */
function isOfKind(value: unknown, { type }: TSchema): boolean {
  if (!Array.isArray(value)) return type !== 'array';
  return (
    type === 'array' ||
    value.some((item) => typeof item === 'object' && item !== null && !Array.isArray(item))
  );
}

function unwrapped(value: unknown, { type }: TSchema): unknown {
  return Array.isArray(value) && value.length === 1 && type !== 'array' ? value[0] : value;
}

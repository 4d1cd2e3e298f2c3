/** The schema of a text with a limit, in characters instead of UTF-16 code units, as JSON Schema counts `maxLength`. */
import { type StringOptions, Type } from '@sinclair/typebox';

// TypeBox compares `maxLength` with the number of code units, of which an emoji has two. Lone surrogates are rejected before.
const CHARACTER = '(?:[^\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])';

/** A text of `least` to `most` characters. If `nonBlank`, at least one of them is not white space. */
export function boundedText(
  most: number,
  { least = 0, nonBlank = false, ...options }: StringOptions & { least?: number; nonBlank?: boolean } = {},
) {
  const bounds = { ...(least > 0 && { minLength: least }), maxLength: most };
  const rules = Object.entries(bounds).map(([name, value]) => `${name} ${value}`);
  return Type.String({
    error: `expected string (${rules.join(', ')})`,
    ...options,
    pattern: `^${nonBlank ? '(?=[^]*\\S)' : ''}${CHARACTER}{${least},${most}}$`,
    documented: { ...bounds, pattern: nonBlank ? '\\S' : undefined },
  });
}

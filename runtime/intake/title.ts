/** Derives a thread's title from its first question. */

const MAX_TITLE = 80;
// The longest prompt, in characters, that is parsed as JSON for a title.
const MAX_JSON = 20_000;

/** `input`: the graph's input in place of a prompt; `prompt` may then be the beginning of its JSON. */
export function titleOf(prompt: string, input?: unknown): string {
  const start = (fieldsIn(prompt, input) ?? prompt)
    .trim()
    .slice(0, 4 * MAX_TITLE)
    .replaceAll(/\s+/g, ' ');
  return [...start].slice(0, MAX_TITLE).join('');
}

/** The content of a JSON prompt: its only text, or its fields as `name: value`. Undefined for other prompts. */
function fieldsIn(prompt: string, input: unknown): string | undefined {
  if (prompt.length > MAX_JSON || !/^\s*[[{]/.test(prompt)) return undefined;
  const isInput = input !== undefined && JSON.stringify(input).startsWith(prompt);
  const fields = leavesOf(isInput ? input : parsed(prompt), []);
  const texts = fields.filter(({ value }) => typeof value === 'string');
  const [text] = texts;
  if (text && texts.length === 1) return String(text.value);
  const named = fields.map(({ names, value }) =>
    names.length === 0 ? `${value}` : `${names.join(' ')}: ${value}`,
  );
  return named.length === 0 ? undefined : named.join(', ');
}

interface Leaf {
  /** The names of the enclosing fields; list elements add none. */
  names: string[];
  value: string | number | boolean;
}

const MAX_LEAVES = 20;
const DEEPEST = 6;

function leavesOf(value: unknown, names: string[], depth = 0): Leaf[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ names, value }];
  if (typeof value === 'number' || typeof value === 'boolean') return [{ names, value }];
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return [];
  const inner: [string[], unknown][] = Array.isArray(value)
    ? value.slice(0, MAX_LEAVES).map((one: unknown) => [names, one])
    : Object.entries(value)
        .slice(0, MAX_LEAVES)
        .map(([name, one]) => [[...names, name], one]);
  return inner.flatMap(([of, one]) => leavesOf(one, of, depth + 1)).slice(0, MAX_LEAVES);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

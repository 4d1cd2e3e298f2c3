/**
 * Extracts the texts of a value to embed, with the path syntax of LangGraph's stores: `$`, `a.b`, `a[*].b`, `a[-1]`, `*`,
 * `{a,b}`.
 */

/** One text for each match of a path. Null and missing fields have no text. */
export function textsOf(value: unknown, paths: readonly string[]): string[] {
  const texts = paths.flatMap((path) => {
    const steps = stepsOf(path);
    // `$` is the whole value only at the start of a path. The value may also have a field of this name.
    return steps[0] === '$' ? [wholeOf(value), ...textsAt(value, steps)] : textsAt(value, steps);
  });
  return [...new Set(texts)];
}

function textsAt(value: unknown, [step, ...rest]: string[]): string[] {
  if (step === undefined) return textOf(value);
  if (step.startsWith('{')) return fieldsOf(step).flatMap((path) => textsAt(value, stepsOf(path)));
  return valuesAt(value, step).flatMap((found) => textsAt(found, rest));
}

/** The values that a step selects: one element, all elements, all fields, or one field. */
function valuesAt(value: unknown, step: string): unknown[] {
  if (step === '*') return typeof value === 'object' && value !== null ? Object.values(value) : [];
  if (!step.startsWith('[')) return [fieldOf(value, step)];
  if (!Array.isArray(value)) return [];
  if (step === '[*]') return value;
  const index = Number.parseInt(step.slice(1, -1), 10);
  return Number.isNaN(index) ? [] : [value.at(index)];
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Splits `a.b[*]{c,d}` into `a`, `b`, `[*]` and `{c,d}`. */
function stepsOf(path: string): string[] {
  return path.match(/\[[^\]]*\]?|\{[^}]*\}?|[^.[{]+/g) ?? [];
}

function fieldsOf(step: string): string[] {
  const names = step.slice(1, -1).split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

function textOf(value: unknown): string[] {
  if (value === null || value === undefined || typeof value === 'function' || typeof value === 'symbol')
    return [];
  return [typeof value === 'object' ? wholeOf(value) : String(value)];
}

function wholeOf(value: unknown): string {
  // JSON.stringify throws on bigint.
  const plain = (_key: string, one: unknown) => (typeof one === 'bigint' ? String(one) : one);
  return JSON.stringify(value, plain, 2) ?? String(value);
}

/** The texts of a value that an index embeds, by the paths of LangGraph's stores: `$`, `a.b`, `a[*].b`, `a[-1]`, `*`, `{a,b}`. */

/** One text for each place that a path leads to; none where it leads nowhere, or to null. */
export function textsOf(value: unknown, paths: readonly string[]): string[] {
  const texts = paths.flatMap((path) => {
    const steps = stepsOf(path);
    // Only there is it the whole value; elsewhere it is a field's name.
    return steps[0] === '$' ? [wholeOf(value), ...textsAt(value, steps)] : textsAt(value, steps);
  });
  return [...new Set(texts)];
}

function textsAt(value: unknown, [step, ...rest]: string[]): string[] {
  if (step === undefined) return textOf(value);
  if (step.startsWith('{')) return fieldsOf(step).flatMap((path) => textsAt(value, stepsOf(path)));
  return placesOf(value, step).flatMap((place) => textsAt(place, rest));
}

/** What a step leads to: an element, all of them, all fields, or one. */
function placesOf(value: unknown, step: string): unknown[] {
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

/** `a.b[*]{c,d}` is `a`, `b`, `[*]` and `{c,d}`. */
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
  // JSON has no big integers.
  const plain = (_key: string, one: unknown) => (typeof one === 'bigint' ? String(one) : one);
  return JSON.stringify(value, plain, 2) ?? String(value);
}

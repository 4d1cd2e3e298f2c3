/** Collects the parameters of a statement that is built from parts. */
import { document, type Value } from './database.ts';

export interface Parameters {
  values: Value[];
  /** Adds a value and returns its placeholder, such as `$3`. */
  add(value: Value): string;
}

/** `values`: the first parameters, which the statement refers to as `$1`, `$2`, ... */
export function parameters(...values: Value[]): Parameters {
  return { values, add: (value) => `$${values.push(value)}` };
}

/** SQL conditions: the JSON in `column`, written with `document`, has all these fields with equal values. */
export function hasFields(
  column: string,
  metadata: Record<string, unknown> | undefined,
  { add }: Parameters,
): string[] {
  if (Object.keys(metadata ?? {}).length === 0) return [];
  return [
    `NOT EXISTS (SELECT FROM jsonb_each(${add(document(metadata))}::text::jsonb) AS wanted
      WHERE coalesce(${column}::jsonb -> wanted.key, 'null') <> wanted.value)`,
  ];
}

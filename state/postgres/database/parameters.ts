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
  const fields = Object.entries(metadata ?? {});
  if (fields.length === 0) return [];
  // A field that is null may be missing in the row.
  const known = fields.filter(([, value]) => (value ?? null) !== null);
  return [
    // Most rows fail this condition, which takes less time than the comparison of all fields.
    ...(known.length === 0
      ? []
      : [`${column}::jsonb @> ${add(document(Object.fromEntries(known)))}::text::jsonb`]),
    `NOT EXISTS (SELECT FROM jsonb_each(${add(document(metadata))}::text::jsonb) AS wanted
      WHERE coalesce(${column}::jsonb -> wanted.key, 'null') <> wanted.value)`,
  ];
}

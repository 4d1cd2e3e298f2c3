/** The values of a statement that is put together: each is named by its place. */
import { document, type Value } from './database.ts';

export interface Parameters {
  values: Value[];
  /** Gives the value's name in the statement. */
  add(value: Value): string;
}

/** `values`: those that the statement names `$1`, `$2` and so on itself. */
export function parameters(...values: Value[]): Parameters {
  return { values, add: (value) => `$${values.push(value)}` };
}

/** Conditions: the metadata in a column, written with `document`, has each of these fields with an equal value. */
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

/** In SQL that is put together: its values, and conditions on metadata. */
import { document, type Value } from './database/database.ts';

export interface Bound {
  values: Value[];
  /** Adds a value; gives its place in the text. */
  bind(value: Value): string;
}

export function bound(...values: Value[]): Bound {
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** The metadata in a column, which was written with `document`, has these fields, each with an equal value. */
export function metadataConditions(
  column: string,
  metadata: Record<string, unknown> = {},
  { bind }: Bound,
): string[] {
  return Object.entries(metadata).map(
    ([key, value]) =>
      `coalesce(${column}::jsonb -> ${bind(key)}::text, 'null') = ${bind(document(value ?? null))}::text::jsonb`,
  );
}

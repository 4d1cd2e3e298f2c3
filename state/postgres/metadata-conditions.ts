/**
 * In SQL: the JSON of a column, written with `document`, has each of the fields with an equal value; null where it has
 * none. `fields` names a parameter with the fields' JSON.
 */
export function hasFields(column: string, fields: string): string {
  return `NOT EXISTS (SELECT FROM jsonb_each(${fields}::text::jsonb) AS wanted
    WHERE coalesce(${column}::jsonb -> wanted.key, 'null') <> wanted.value)`;
}

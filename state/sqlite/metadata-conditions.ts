/** In SQL: the metadata in a column has these fields, each with an equal value. */

export interface Conditions {
  where: string[];
  values: string[];
}

/** Objects and lists are compared as the JSON that was stored. */
export function metadataConditions(column: string, metadata: Record<string, unknown> = {}): Conditions {
  const fields = Object.entries(metadata);
  return {
    where: fields.map(() => `json_extract(${column}, ?) IS json_extract(?, '$')`),
    values: fields.flatMap(([key, value]) => [`$.${JSON.stringify(key)}`, JSON.stringify(value)]),
  };
}

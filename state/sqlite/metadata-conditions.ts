/** SQL conditions: the JSON in `column` has all these fields with equal values. */

export interface Conditions {
  where: string[];
  values: string[];
}

/** Objects and lists are compared by their stored JSON text. */
export function metadataConditions(column: string, metadata: Record<string, unknown> = {}): Conditions {
  const fields = Object.entries(metadata);
  return {
    where: fields.map(() => `json_extract(${column}, ?) IS json_extract(?, '$')`),
    values: fields.flatMap(([key, value]) => [`$.${JSON.stringify(key)}`, JSON.stringify(value)]),
  };
}

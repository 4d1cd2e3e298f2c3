/** Names and texts as DuckDB's SQL has them. */

// DuckDB's reserved words, and those of other databases that people use as names of columns.
const RESERVED = new Set(
  `all analyse analyze and any array as asc asymmetric between both by case cast check collate column constraint create current_date
  default deferrable desc describe distinct do else end except exists false fetch filter for foreign from full glob grant group having
  in index initially inner intersect into is join key lambda lateral leading left like limit natural not null of off offset on only or
  order outer over partition pivot primary qualify range references returning right rows select show similar some summarize symmetric
  table then time timestamp to trailing true union unique unpivot update user using values variadic view when where window with`
    .trim()
    .split(/\s+/),
);

/** In quotation marks only where it needs them, so that what is written stays readable. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

export function literal(value: string): string {
  return `'${value.replaceAll("'", "''").replaceAll('\0', '')}'`;
}

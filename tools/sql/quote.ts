/** Quotes names and texts for DuckDB's SQL. */

// DuckDB's reserved words, and those of other databases that are common as column names.
const RESERVED = new Set(
  `all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary bit boolean both by case
  cast char character check coalesce collate collation column columns concurrently constraint create cross current_date dec
  decimal default deferrable desc describe distinct do else end except exists extract false fetch filter float for foreign
  freeze from full generated glob grant group grouping grouping_id having ilike in index initially inner inout int integer
  intersect interval into is isnull join key lambda lateral leading left like limit map national natural nchar none not notnull
  null nullif numeric of off offset on only or order out outer over overlaps overlay partition pivot pivot_longer pivot_wider
  placing position positional precision primary qualify range real references returning right row rows select semi setof show
  similar smallint some struct substring summarize symmetric table tablesample then time timestamp to trailing treat trim true
  try_cast union unique unpack unpivot update user using values varchar variadic verbose view when where window with
  xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`
    .trim()
    .split(/\s+/),
);

/** Only quotes a name if necessary, so that the SQL stays readable. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

export function literal(value: string): string {
  return `'${value.replaceAll("'", "''").replaceAll('\0', '')}'`;
}

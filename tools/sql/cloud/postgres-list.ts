/** The query that lists PostgreSQL's tables. */
import { MAX_COLUMNS, MAX_TABLES } from './listing.ts';

/** Returns a row per column: database, schema, table, estimated rows, column, type. */
export const LIST = `
  SELECT pg_catalog.current_database(), pg_catalog.current_schema(), t.relname,
    CASE WHEN t.relkind IN ('r', 'p', 'm') AND t.reltuples >= 0 THEN t.reltuples::bigint END,
    a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM (
    SELECT c.oid, c.relname, c.relkind, c.reltuples FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = pg_catalog.current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND NOT c.relispartition AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
    ORDER BY c.relname LIMIT ${MAX_TABLES}
  ) t
  JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE pg_catalog.has_column_privilege(t.oid, a.attnum, 'SELECT')
  ORDER BY t.relname, a.attnum LIMIT ${MAX_TABLES * MAX_COLUMNS}`;

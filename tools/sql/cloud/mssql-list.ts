/** The query that lists SQL Server's tables. */
import { MAX_COLUMNS, MAX_TABLES } from './listing.ts';

/** Returns a row per column: database, schema, table, estimated rows, column, type. */
export const LIST = `
  SELECT TOP (${MAX_TABLES * MAX_COLUMNS}) DB_NAME(), t.TABLE_SCHEMA, t.TABLE_NAME,
    (SELECT SUM(p.rows) FROM sys.partitions p
     WHERE p.object_id = OBJECT_ID(QUOTENAME(t.TABLE_SCHEMA) + '.' + QUOTENAME(t.TABLE_NAME)) AND p.index_id IN (0, 1)),
    c.COLUMN_NAME, c.DATA_TYPE
  FROM (
    SELECT TOP (${MAX_TABLES}) TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.TABLES
    WHERE TABLE_SCHEMA = SCHEMA_NAME() ORDER BY TABLE_NAME
  ) t
  JOIN INFORMATION_SCHEMA.COLUMNS c ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
  ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION`;

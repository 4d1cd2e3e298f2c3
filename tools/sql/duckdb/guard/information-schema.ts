/** A replacement for information_schema.columns in statements, which only has the columns of the allowed tables. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../../quote.ts';
import { type Catalog, isAmong, type Node } from '../catalog.ts';

/** The name of the view in checks. */
export const COLUMNS_VIEW = 'information_schema.columns';

const TABLE = 'skein_information_schema_columns';

/** Whether a table is DuckDB's view or, after that was replaced, the replacement. */
export function isColumnsView(
  { table_name, schema_name, catalog_name }: Node,
  { columnsTable }: Catalog,
): boolean {
  if (columnsTable !== undefined)
    return table_name === columnsTable && schema_name === 'main' && catalog_name === 'temp';
  return (
    isAmong(table_name, ['columns']) &&
    isAmong(schema_name, ['information_schema']) &&
    isAmong(catalog_name, ['', 'system'])
  );
}

/** Creates the replacement in the temporary database, which is deleted with the process. */
export async function makeColumnsTable(connection: DuckDBConnection, catalog: Catalog): Promise<Catalog> {
  const names = [...catalog.tables.values()].map(literal);
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${TABLE} AS SELECT * FROM system.information_schema.columns
     WHERE table_catalog = system.main.current_database() AND table_schema = 'main'
     AND table_name IN (${names.length > 0 ? names.join(', ') : 'NULL'})`,
  );
  return { ...catalog, columnsTable: TABLE };
}

/** The syntax tree with DuckDB's view replaced. Columns may be qualified with either name. */
export function withColumnsTable(value: unknown, catalog: Catalog): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withColumnsTable(each, catalog));
  const node = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withColumnsTable(part, catalog)]),
  );
  if (node.type === 'BASE_TABLE' && isColumnsView(node, catalog))
    return {
      ...node,
      ...{ catalog_name: 'temp', schema_name: 'main', table_name: TABLE, alias: node.alias || 'columns' },
    };
  if (node.class !== 'COLUMN_REF' || !Array.isArray(node.column_names)) return node;
  const [schema, ...names] = node.column_names;
  return names.length === 2 && isAmong(schema, ['information_schema'])
    ? { ...node, column_names: names }
    : node;
}

/** Calls such as `name.lower()`, in whose syntax tree the column is in the place of the schema. */
import { type Catalog, isAmong, lowerCase, type Node } from '../../catalog.ts';

const SYSTEM_DATABASES = ['system', 'temp'];

/** Whether DuckDB can only read the qualifier as a column, because no schema or database has this name. */
export function isMethod({ schema, catalog: database }: Node, catalog: Catalog): boolean {
  if (typeof schema !== 'string' || schema === '' || catalog.schemas.has(lowerCase(schema))) return false;
  return typeof database === 'string' && !isAmong(database, [...SYSTEM_DATABASES, lowerCase(catalog.name)]);
}

/** The same call with the column as its first argument, as DuckDB binds it. */
export function withReceiver(node: Node): Node {
  const column = { class: 'COLUMN_REF', type: 'COLUMN_REF', column_names: [node.schema] };
  return { ...node, children: [column, ...(Array.isArray(node.children) ? node.children : [])] };
}

/** Fills a database in memory with the tables that a workflow brings. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ColumnType, TableCell, TableData } from '../table-data.ts';

const TYPES = new Set<ColumnType>(['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'DATE']);
// So many rows at a time: DuckDB takes them as one text, which it holds three times over.
const ROWS = 5_000;

export async function loadTables(connection: DuckDBConnection, tables: readonly TableData[]): Promise<void> {
  for (const { name, columns, rows } of tables) {
    const table = quoted(name);
    const list = columns.map((column) => `${quoted(column.name)} ${typeOf(column.type)}`);
    await connection.run(`CREATE TABLE ${table} (${list.join(', ')})`);
    const cells = columns.map(({ type }, index) => `row[${index + 1}]::${typeOf(type)}`).join(', ');
    const insert = `INSERT INTO ${table} SELECT ${cells} FROM (SELECT unnest(from_json($1::JSON, '[["VARCHAR"]]')) AS row)`;
    for (let at = 0; at < rows.length; at += ROWS)
      await connection.run(insert, [
        JSON.stringify(rows.slice(at, at + ROWS).map((row) => row.map(loadable))),
      ]);
  }
}

/** What a text of DuckDB can hold: half characters and the one that ends texts in C become the sign for neither. */
function loadable(cell: TableCell): TableCell {
  return typeof cell === 'string' ? cell.toWellFormed().replaceAll('\0', '\ufffd') : cell;
}

function typeOf(type: ColumnType): ColumnType {
  if (!TYPES.has(type)) throw new RangeError('a column has a type that tables of a workflow cannot have');
  return type;
}

function quoted(name: string): string {
  return `"${String(loadable(name)).replaceAll('"', '""')}"`;
}

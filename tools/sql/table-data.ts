/** Tables that a workflow brings, to query with SQL. */

export interface TableData {
  name: string;
  columns: { name: string; type: ColumnType }[];
  /** One cell per column; dates are `YYYY-MM-DD`. */
  rows: TableCell[][];
}

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE';
export type TableCell = string | number | boolean | null;

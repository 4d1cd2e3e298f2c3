/** Tables that a workflow provides for queries with SQL. */

export interface TableData {
  name: string;
  columns: { name: string; type: ColumnType }[];
  /** One cell per column. Dates are `YYYY-MM-DD`. */
  rows: TableCell[][];
}

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE';
export type TableCell = string | number | boolean | null;

/** Tables that a workflow brings, to be asked in SQL. */

export interface TableData {
  name: string;
  columns: { name: string; type: ColumnType }[];
  /** A cell for each column; dates are `YYYY-MM-DD`. */
  rows: TableCell[][];
}

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'DATE';
export type TableCell = string | number | boolean | null;

/** Texts about the SQL database for the model: its tables, the rows of a statement, and why a statement failed. */
import type { Cut, QueryResult, SqlEngine, SqlError, Table } from '../../tools/sql/engine.ts';
import { refusalText } from '../../tools/sql/refusal-text.ts';
import { MAX_ROWS, resultText } from '../../tools/sql/result-text.ts';
import { schemaText } from '../../tools/sql/schema-text.ts';
import { UNTRUSTED } from '../../tools/text/block.ts';

/** All rows of the statement. */
export interface QueriedRows extends Pick<QueryResult, 'columns' | 'rows' | 'truncated'> {
  sql: string;
  row_count: number;
  cuts: Cut[];
  duration_ms: number;
}

const NOT_RUN = 'The statement gave no rows. Write another one that avoids what was wrong.';
const READ_TABLES = 'Call the tool without a query for the tables and columns.';

export function tablesText(dialect: SqlEngine['dialect'], tables: Table[]): string {
  return `The dialect is ${dialect}. ${UNTRUSTED}\n${schemaText(tables)}`;
}

/** The first rows, with the total count. */
export function rowsText(sql: string, rows: QueryResult): string {
  const { rowCount } = rows;
  const shown = rowCount > MAX_ROWS ? `The first ${MAX_ROWS} of ${rowCount} rows are shown. ` : '';
  return `${shown}${UNTRUSTED}\n${resultText(sql, rows)}`;
}

/** Why a statement failed, for a model that may write another one. */
export function failureText(sql: string, { message }: SqlError): string {
  return `${NOT_RUN} ${READ_TABLES} ${UNTRUSTED}\n${refusalText({ sql, reason: message })}`;
}

export function queriedRows(
  sql: string,
  { columns, rows, rowCount, truncated, cuts = [], durationMs }: QueryResult,
): QueriedRows {
  return { sql, columns, rows, row_count: rowCount, truncated, cuts, duration_ms: durationMs };
}

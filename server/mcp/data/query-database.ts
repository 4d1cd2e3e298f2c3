/** The tool `query_database`, with the same statement guard and limits as the workflow sql-manipulation-agent. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { Type } from '@sinclair/typebox';
import { failureText, queriedRows, rowsText, tablesText } from '../../../graphs/data-tools/sql-texts.ts';
import { bare } from '../../../graphs/sql-manipulation-agent/query.ts';
import { SqlError } from '../../../tools/sql/engine.ts';
import { checkedArguments, listedSchema } from '../arguments.ts';
import type { McpCall } from '../call.ts';
import { QUERY_DATABASE } from '../tool-names.ts';

const Arguments = Type.Object(
  {
    query: Type.Optional(
      Type.String({
        description: 'One SELECT statement in the dialect of the database. Omit it to get the tables',
      }),
    ),
  },
  // Reject other names: a statement under a wrong name would be ignored, and the call would return the tables.
  { additionalProperties: false },
);

const Column = Type.Object({ name: Type.String(), type: Type.String() });

const SampledColumn = Type.Composite([
  Column,
  Type.Object({ samples: Type.Array(Type.Unknown(), { description: 'Some values of the column' }) }),
]);

const Output = Type.Object({
  dialect: Type.String(),
  tables: Type.Optional(
    Type.Array(
      Type.Object({ name: Type.String(), rows: Type.Integer(), columns: Type.Array(SampledColumn) }),
      { description: 'Only without a query' },
    ),
  ),
  sql: Type.Optional(Type.String({ description: 'The statement. The other fields describe its rows' })),
  columns: Type.Optional(Type.Array(Column)),
  rows: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  row_count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean({ description: 'Whether there are more rows' })),
  cuts: Type.Optional(
    Type.Array(
      Type.Object({
        limit: Type.Union([Type.Literal('rows'), Type.Literal('bytes'), Type.Literal('cells')]),
        at: Type.Integer(),
      }),
      { description: 'The limits that truncated the rows or cells' },
    ),
  ),
  duration_ms: Type.Optional(Type.Number()),
});

export const QUERY_TOOL: Tool = {
  name: QUERY_DATABASE,
  title: 'Query the database',
  description:
    'Queries the SQL database. Without a query, returns the tables, their columns and sample values: call it this way first. With a query, runs one SELECT statement and returns its rows. The database is read-only.',
  inputSchema: listedSchema(Arguments),
  outputSchema: listedSchema(Output),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const NEEDS_APPROVAL =
  'A person must approve each statement, and this tool cannot request approval. Use the workflow sql-manipulation-agent instead.';

/** An error of the statement becomes an error result, so that the model can correct it. Throws INVALID_REQUEST. */
export async function queryDatabase(
  { services: { sources }, request: { signal } }: McpCall,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const sql = bare(checkedArguments(Arguments, args).query ?? '');
  const { requireApproval, ...limits } = sources.sqlRules;
  const engine = sources.openSql(limits);
  const { dialect } = engine;
  if (sql === '') {
    const tables = await engine.tables(signal);
    const listed = tables.map(({ name, rows, columns }) => ({ name, rows, columns }));
    return {
      content: textContent(tablesText(dialect, tables)),
      structuredContent: { dialect, tables: listed },
    };
  }
  if (requireApproval) return { isError: true, content: textContent(NEEDS_APPROVAL) };
  try {
    const rows = await engine.query(sql, signal);
    return {
      content: textContent(rowsText(sql, rows)),
      structuredContent: { dialect, ...queriedRows(sql, rows) },
    };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    return { isError: true, content: textContent(failureText(sql, error)) };
  }
}

function textContent(text: string): CallToolResult['content'] {
  return [{ type: 'text', text }];
}

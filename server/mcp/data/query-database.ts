/** The tool over the SQL database, behind the guard and the rules of the workflow that asks it. */
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
        description: 'One SELECT statement in the dialect of the database; leave it out to get the tables',
      }),
    ),
  },
  // A statement under another name would be answered with the tables.
  { additionalProperties: false },
);

const Column = Type.Object({ name: Type.String(), type: Type.String() });

const SampledColumn = Type.Composite([
  Column,
  Type.Object({ samples: Type.Array(Type.Unknown(), { description: 'A few of its values' }) }),
]);

const Output = Type.Object({
  dialect: Type.String(),
  tables: Type.Optional(
    Type.Array(
      Type.Object({ name: Type.String(), rows: Type.Integer(), columns: Type.Array(SampledColumn) }),
      { description: 'Without a query' },
    ),
  ),
  sql: Type.Optional(Type.String({ description: 'The statement; the rest is of its rows' })),
  columns: Type.Optional(Type.Array(Column)),
  rows: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  row_count: Type.Optional(Type.Integer()),
  truncated: Type.Optional(Type.Boolean({ description: 'There are more rows than these' })),
  cuts: Type.Optional(
    Type.Array(
      Type.Object({
        limit: Type.Union([Type.Literal('rows'), Type.Literal('bytes'), Type.Literal('cells')]),
        at: Type.Integer(),
      }),
      { description: 'The limits that have cut rows or cells off' },
    ),
  ),
  duration_ms: Type.Optional(Type.Number()),
});

export const QUERY_TOOL: Tool = {
  name: QUERY_DATABASE,
  title: 'Query the database',
  description:
    'Asks the SQL database. Called without a query it gives the tables, their columns and some of their values: begin with that. With a query it runs one SELECT statement and gives its rows. Nothing can be changed.',
  inputSchema: listedSchema(Arguments),
  outputSchema: listedSchema(Output),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const NEEDS_APPROVAL =
  'A person approves each statement here, which this tool cannot ask for. Ask the workflow sql-manipulation-agent instead.';

export async function queryDatabase(
  { services: { sources }, request: { signal } }: McpCall,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  const sql = bare(checkedArguments(Arguments, given).query ?? '');
  const { requireApproval, ...limits } = sources.sqlRules;
  const engine = sources.openSql(limits);
  const { dialect } = engine;
  if (sql === '') {
    const tables = await engine.tables(signal);
    const listed = tables.map(({ name, rows, columns }) => ({ name, rows, columns }));
    return { content: said(tablesText(dialect, tables)), structuredContent: { dialect, tables: listed } };
  }
  if (requireApproval) return { isError: true, content: said(NEEDS_APPROVAL) };
  try {
    const rows = await engine.query(sql, signal);
    return { content: said(rowsText(sql, rows)), structuredContent: { dialect, ...queriedRows(sql, rows) } };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    return { isError: true, content: said(failureText(sql, error)) };
  }
}

function said(text: string): CallToolResult['content'] {
  return [{ type: 'text', text }];
}

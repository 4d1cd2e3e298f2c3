/** The configured SQL database as a LangChain tool, for any graph: with the guard and the rules of sql-manipulation-agent. */
import { ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import type { JsonSchema7Type } from '@langchain/core/utils/json_schema';
import { SqlError } from '../../tools/sql/engine.ts';
import type { SqlLimits } from '../../tools/sql/limits.ts';
import type { DataSources } from '../authoring/run/data-sources.ts';
import { bare } from '../sql-manipulation-agent/query.ts';
import { approvedStatement } from './approved-statement.ts';
import { calledIn } from './called-in.ts';
import { failureText, queriedRows, rowsText, tablesText } from './sql-texts.ts';

/** The limits can only make the rules of `workflows.sql-manipulation-agent` stricter. */
export interface SqlToolOptions extends Partial<SqlLimits> {
  /** The tool's name for the model. Default: `query_database`. */
  name?: string;
  /** The tool's description for the model. It should say what the database is about. */
  description?: string;
  /** Asks a person before a statement runs. */
  requireApproval?: boolean;
}

const DESCRIPTION =
  'Asks the SQL database. Called without a query it gives the tables, their columns and some of their values: begin with that. With a query it runs one SELECT statement and gives its rows. Nothing can be changed.';

/**
 * The tool itself returns the schema. It isn't part of the description, because it contains values of the database, which are
 * untrusted, and models follow descriptions as instructions. A call without arguments works best, because models mix up named
 * modes.
 */
const INPUT: JsonSchema7Type = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description:
        'One SELECT statement in the dialect that the tables came with; leave it out to get the tables',
    },
  },
};

const NOT_APPROVED =
  'A person did not approve the statement, so it did not run. Answer without its rows, and say so.';

/**
 * The message has the tables, or the first rows as text and all rows in the artifact. A rejected or failed statement results in
 * a message with the status `error`. Only works in a run; throws elsewhere.
 */
export function sqlTool(options: SqlToolOptions = {}): StructuredToolInterface {
  const { name = 'query_database', description = DESCRIPTION } = options;
  const ask = async ({ query = '' }: { query?: string }, config: ToolRunnableConfig) => {
    const { run, sources, signal, toolCallId } = calledIn(config, 'sqlTool()');
    const { requireApproval, ...limits } = rulesOf(sources, options);
    const engine = sources.openSql(limits);
    const sql = bare(query);
    if (sql === '') return [tablesText(engine.dialect, await engine.tables(signal)), null];
    const failed = (content: string) => {
      if (toolCallId === undefined) return [content, null];
      return [new ToolMessage({ content, name, status: 'error', tool_call_id: toolCallId }), null];
    };
    try {
      const statement = requireApproval
        ? await approvedStatement({ run, engine, tool: name, signal }, sql)
        : sql;
      if (statement === undefined) return failed(NOT_APPROVED);
      const rows = await engine.query(statement, signal);
      return [rowsText(statement, rows), queriedRows(statement, rows)];
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      return failed(failureText(sql, error));
    }
  };
  return tool(ask, {
    ...{ name, description, schema: INPUT },
    responseFormat: 'content_and_artifact',
    verboseParsingErrors: true,
  });
}

function rulesOf({ sqlRules }: DataSources, options: SqlToolOptions): DataSources['sqlRules'] {
  const { maxRows = sqlRules.maxRows, querySeconds = sqlRules.querySeconds } = options;
  return {
    maxRows: Math.min(maxRows, sqlRules.maxRows),
    querySeconds: Math.min(querySeconds, sqlRules.querySeconds),
    requireApproval: sqlRules.requireApproval || options.requireApproval === true,
  };
}

/** GET /database/tables: describes the tables of the configured SQL database. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { SqlEngine } from '../../tools/sql/engine.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';

const Column = Type.Object(
  {
    name: Type.String({ description: 'The name of the column' }),
    type: Type.String({ description: "The database's name of the type" }),
    samples: Type.Array(Type.Unknown(), { description: 'A few distinct values' }),
  },
  { title: 'DatabaseColumn' },
);

const Database = Type.Object(
  {
    dialect: Type.Union(
      [Type.Literal('duckdb'), Type.Literal('postgres'), Type.Literal('mysql'), Type.Literal('mssql')],
      { description: 'The SQL dialect of the database' },
    ),
    description: Type.String({ description: 'A description for people' }),
    tables: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'The name of the table' }),
          rows: Type.Integer({
            description: 'The number of rows; an estimate of the server for a database server',
          }),
          columns: Type.Array(Column, { description: 'The columns of the table' }),
        },
        { title: 'DatabaseTable' },
      ),
      { description: 'The tables that the agent can query' },
    ),
  },
  { title: 'Database' },
);

// `maxRows` doesn't matter, since no rows are queried. Reading the samples of a large table may take seconds.
const LIMITS = { maxRows: 1, querySeconds: 10 };

export const databaseRoutes = ({ sql }: Services) => {
  let engine: SqlEngine | undefined;
  return new Elysia({ prefix: '/api/v1/database', name: 'database' }).get(
    '/tables',
    async ({ request }) => {
      engine ??= sql.open(LIMITS);
      const tables = await engine.tables(request.signal);
      return {
        dialect: engine.dialect,
        description: sql.description,
        tables: tables.map(({ name, rows, columns }) => ({ name, rows, columns })),
      };
    },
    {
      response: { 200: Database },
      detail: {
        summary: "List the SQL database's tables, with sample values of each column",
        tags: ['database'],
        responses: errorResponses(
          ...(['UNAUTHORIZED', 'DATABASE_CONNECTION_FAILED', 'NO_TABLES_FOUND'] as const),
          ...(['SQL_EXECUTION_FAILED', 'CONFIGURATION_ERROR', 'OVERLOADED'] as const),
        ),
      },
    },
  );
};

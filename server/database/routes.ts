/** GET /database/tables: what the configured SQL database holds. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { SqlEngine } from '../../tools/sql/engine.ts';
import { errorResponses } from '../http/error-schema.ts';
import type { Services } from '../services.ts';

const Column = Type.Object(
  {
    name: Type.String(),
    type: Type.String({ description: 'As the database names it' }),
    samples: Type.Array(Type.Unknown(), { description: 'A few of its values, different ones' }),
  },
  { title: 'DatabaseColumn' },
);

const Database = Type.Object(
  {
    dialect: Type.Union([
      Type.Literal('duckdb'),
      Type.Literal('postgres'),
      Type.Literal('mysql'),
      Type.Literal('mssql'),
    ]),
    description: Type.String({ description: 'What it is, for people' }),
    tables: Type.Array(
      Type.Object(
        { name: Type.String(), rows: Type.Integer(), columns: Type.Array(Column) },
        { title: 'DatabaseTable' },
      ),
    ),
  },
  { title: 'Database' },
);

/** No rows are asked for; reading the samples of a large table may take its time. */
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
        summary: 'The tables that questions are answered from, with a few values of each column',
        tags: ['database'],
        responses: errorResponses(
          ...(['UNAUTHORIZED', 'DATABASE_CONNECTION_FAILED', 'NO_TABLES_FOUND'] as const),
          ...(['SQL_EXECUTION_FAILED', 'CONFIGURATION_ERROR', 'OVERLOADED'] as const),
        ),
      },
    },
  );
};

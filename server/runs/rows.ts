/** GET /runs/{run_id}/rows: downloads all rows of the SQL agent's statement, by running it again. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import type { Run } from '../../state/threads/runs.ts';
import { type Cut, type Saved, type SaveTarget, type SqlEngine, SqlError } from '../../tools/sql/engine.ts';
import { ownerQuery } from '../authentication/operators.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { ownerOfRun } from './owner-of-run.ts';
import { openRowFiles } from './row-files.ts';
import { runParams } from './shape.ts';

const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', parquet: 'application/vnd.apache.parquet' };

const Format = Type.Union([Type.Literal('csv'), Type.Literal('parquet')], {
  default: 'csv',
  description: "csv, or parquet with the database's types (only for the local database)",
});

/** The only workflow whose statements query the configured database. Other workflows query their own tables. */
const WORKFLOW = 'sql-manipulation-agent';

export const runRowRoutes = ({ operators, runtime, sources, state }: Services) => {
  const files = openRowFiles();
  return new Elysia({ prefix: '/api/v1/runs', name: 'run-rows' }).get(
    '/:run_id/rows',
    async ({ params: { run_id }, query: { format, owner: named }, request, route }) => {
      const owner = await ownerOfRun({ operators, state }, { request, route, owner: named }, run_id);
      const sql = statementOf(await runtime.run(owner, run_id));
      const engine = sources.openSql(sources.downloadRules);
      const { saved, body } = await files.create((file) =>
        save(engine, { sql, file, format }, request.signal),
      );
      return new Response(body, {
        headers: {
          'content-type': MEDIA_TYPES[format],
          // Excludes the response from compression, which would read all of it into memory.
          'x-accel-buffering': 'no',
          'content-disposition': `attachment; filename="${run_id}.${format}"`,
          'x-skein-rows': String(saved.rows),
          ...cutHeader(saved.cuts),
        },
      });
    },
    {
      params: runParams,
      query: Type.Object({ format: Format, ...ownerQuery }),
      detail: {
        summary:
          'Download all rows of the statement of a sql-manipulation-agent run; it is run again, with the same checks',
        tags: ['runs'],
        responses: {
          200: {
            description: 'The rows. X-Skein-Cut names the limit if the rows are truncated',
            headers: {
              'X-Skein-Rows': {
                description: 'The number of rows in the file',
                schema: { type: 'integer' as const },
              },
              'X-Skein-Cut': {
                description: 'The limit, such as `rows=100000`. Omitted if the file has all rows',
                schema: { type: 'string' as const },
              },
            },
            content: Object.fromEntries(
              Object.values(MEDIA_TYPES).map((type) => [
                type.split(';')[0] ?? type,
                { schema: { type: 'string' as const, format: 'binary' } },
              ]),
            ),
          },
          ...errorResponses(
            ...(['INVALID_REQUEST', 'UNAUTHORIZED', 'RUN_NOT_FOUND', 'DATABASE_CONNECTION_FAILED'] as const),
            ...(['SQL_EXECUTION_FAILED', 'CONFIGURATION_ERROR', 'OVERLOADED', 'STORAGE_FULL'] as const),
          ),
        },
      },
    },
  );
};

/** Throws RUN_NOT_FOUND if no statement was executed. An output has no columns if a person rejected its statement. */
function statementOf({ workflow, result }: Run): string {
  const found = workflow === WORKFLOW ? (result?.outputs ?? []) : [];
  for (const { data } of found) {
    const { sql, columns } = (data ?? {}) as { sql?: unknown; columns?: unknown };
    if (typeof sql === 'string' && sql !== '' && Array.isArray(columns) && columns.length > 0) return sql;
  }
  throw new SkeinError('RUN_NOT_FOUND', {
    detail: `The run has no rows: expected a run of ${WORKFLOW} whose statement was executed`,
  });
}

async function save(
  engine: SqlEngine,
  { sql, ...target }: SaveTarget & { sql: string },
  signal: AbortSignal,
): Promise<Saved> {
  try {
    return await engine.save(sql, target, signal);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    throw new SkeinError('SQL_EXECUTION_FAILED', { detail: error.reason, cause: error });
  }
}

function cutHeader(cuts: readonly Cut[]): Record<string, string> {
  if (cuts.length === 0) return {};
  return { 'x-skein-cut': cuts.map(({ limit, at }) => `${limit}=${at}`).join(', ') };
}

/** Reports SQL statements as spans: https://opentelemetry.io/docs/specs/semconv/database/database-spans/ */

import type { Tracing } from '../telemetry/tracing.ts';
import { traced } from '../telemetry/tracing.ts';
import type { QueryResult, Saved, SaveTarget, SqlEngine } from './engine.ts';
import type { SqlDatabase } from './open.ts';

const SYSTEMS: Record<SqlEngine['dialect'], string> = {
  duckdb: 'duckdb',
  postgres: 'postgresql',
  mysql: 'mysql',
  mssql: 'microsoft.sql_server',
};

/** A database that reports every statement as a span. */
export function tracedSql(database: SqlDatabase, tracing: Tracing): SqlDatabase {
  return {
    ...database,
    open: (limits) => tracedEngine(database.open(limits), tracing),
    openTables: (...args) => tracedEngine(database.openTables(...args), tracing),
  };
}

function tracedEngine<Engine extends SqlEngine>(engine: Engine, tracing: Tracing): Engine {
  const { dialect } = engine;
  // Only a SELECT passes the guard.
  const begun = (sql: string) =>
    tracing.begin(`SELECT ${SYSTEMS[dialect]}`, {
      kind: 'client',
      attributes: {
        'db.system.name': SYSTEMS[dialect],
        'db.operation.name': 'SELECT',
        'db.query.text': tracing.content ? sql : undefined,
      },
    });
  return {
    ...engine,
    save(sql: string, target: SaveTarget, signal?: AbortSignal) {
      const span = begun(sql);
      const onSaved = ({ rows, cuts }: Saved) =>
        span.set({ 'db.response.returned_rows': rows, 'skein.db.truncated': cuts.length > 0 });
      return traced(tracing, span, () => engine.save(sql, target, signal), onSaved);
    },
    query(sql: string, signal?: AbortSignal) {
      const span = begun(sql);
      const onResult = (result: QueryResult) =>
        span.set({
          'db.response.returned_rows': result.rowCount,
          'skein.db.truncated': result.truncated,
          'skein.db.rows': tracing.content ? JSON.stringify(result.rows) : undefined,
        });
      return traced(tracing, span, () => engine.query(sql, signal), onResult);
    },
  };
}

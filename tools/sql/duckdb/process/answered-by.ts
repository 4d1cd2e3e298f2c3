/** Implements the methods of a SQL engine with the answers of a database process. */
import { SkeinError } from '../../../../state/errors.ts';
import { type SqlEngine, SqlError } from '../../engine.ts';
import { MAX_FILE, MAX_SQL } from '../../limits.ts';
import type { Answer, Task } from '../messages.ts';

export function answeredBy(
  run: (task: Task, signal?: AbortSignal) => Promise<Answer>,
  maxRows: number,
): Omit<SqlEngine, 'close'> {
  return {
    dialect: 'duckdb',
    async tables(signal) {
      const answer = await run({ do: 'tables' }, signal).catch((error) => {
        throw unreadable(error);
      });
      if (answer.is !== 'tables') throw unreadable(unexpected(answer));
      if (answer.tables.length === 0) throw new SkeinError('NO_TABLES_FOUND');
      return answer.tables;
    },
    async check(sql, signal) {
      const answer = await run({ do: 'check', sql: shortened(sql) }, signal);
      if (answer.is !== 'checked') throw unexpected(answer);
      return answer.checked;
    },
    async query(sql, signal) {
      const answer = await run({ do: 'query', sql: shortened(sql), maxRows }, signal);
      if (answer.is !== 'rows') throw unexpected(answer);
      return answer.result;
    },
    async save(sql, target, signal) {
      const task = { do: 'save' as const, sql: shortened(sql), maxRows, maxBytes: MAX_FILE, ...target };
      const answer = await run(task, signal);
      if (answer.is !== 'saved') throw unexpected(answer);
      return answer.saved;
    },
  };
}

/** The query of the schema isn't the caller's statement, so its failure isn't a SqlError. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof SqlError)) return error;
  return new SkeinError('SQL_EXECUTION_FAILED', { detail: error.reason, cause: error });
}

/** Truncates a statement, but leaves it long enough for the guard to detect that it is too long. */
function shortened(sql: string): string {
  return sql.slice(0, MAX_SQL + 1);
}

function unexpected(answer: Answer): Error {
  return answer.is === 'failed' ? new SqlError(answer.failure) : new SkeinError('INTERNAL_ERROR');
}

/** Shares the SQL engines that have the same limits. */
import type { OpenSql } from '../../tools/sql/open.ts';

/** Each engine is a process that lives until the database is closed. */
export function sharedSql(open: OpenSql): OpenSql {
  const engines = new Map<string, ReturnType<OpenSql>>();
  return ({ maxRows, querySeconds }) => {
    const limits = { maxRows, querySeconds };
    const key = JSON.stringify(limits);
    const engine = engines.get(key) ?? open(limits);
    engines.set(key, engine);
    return engine;
  };
}

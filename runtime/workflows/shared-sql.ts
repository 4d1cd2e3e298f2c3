/** Engines of a SQL database that are opened again and again: those with the same limits are one. */
import type { OpenSql } from '../../tools/sql/open.ts';

/** An engine is a process, and lasts until the database is closed. */
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

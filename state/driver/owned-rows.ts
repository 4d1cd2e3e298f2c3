/** The SQL that counts a caller's data. The drivers only differ in the names of tables and parameters. */

/** `table` returns the qualified name of a table; `owner` is the placeholder of the parameter. */
export function ownedCounts(table: (name: string) => string, owner: string): string {
  const ofOwner = (name: string) => `(SELECT count(*) FROM ${table(name)} WHERE owner = ${owner}) AS ${name}`;
  const messages = `${table('messages')} AS m JOIN ${table('threads')} AS t ON t.key = m.thread`;
  return `SELECT ${['threads', 'runs', 'items', 'assistants', 'crons'].map(ofOwner).join(', ')},
    (SELECT count(*) FROM ${messages} WHERE t.owner = ${owner}) AS messages,
    (SELECT count(*) FROM ${messages} JOIN ${table('feedback')} AS f ON f.message_id = m.message_id
      WHERE t.owner = ${owner}) AS feedback`;
}

/**
 * Tables with an owner that don't belong to threads, with the column that identifies a row. Crons come first, because they
 * create rows in the other tables.
 */
export const OWNED_TABLES = [
  { table: 'crons', key: 'seq' },
  { table: 'cron_threads', key: 'run_id' },
  { table: 'assistants', key: 'key' },
  { table: 'items', key: 'seq' },
  { table: 'idempotency', key: 'key' },
  { table: 'usage', key: 'day' },
] as const;

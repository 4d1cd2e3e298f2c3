/** The SQL that counts what a caller has, in which the drivers differ by nothing but names. */

/** `table` gives a table's name, `owner` is the parameter. */
export function ownedCounts(table: (name: string) => string, owner: string): string {
  const ofOwner = (name: string) => `(SELECT count(*) FROM ${table(name)} WHERE owner = ${owner}) AS ${name}`;
  const messages = `${table('messages')} AS m JOIN ${table('threads')} AS t ON t.key = m.thread`;
  return `SELECT ${['threads', 'runs', 'items', 'assistants', 'crons'].map(ofOwner).join(', ')},
    (SELECT count(*) FROM ${messages} WHERE t.owner = ${owner}) AS messages,
    (SELECT count(*) FROM ${messages} JOIN ${table('feedback')} AS f ON f.message_id = m.message_id
      WHERE t.owner = ${owner}) AS feedback`;
}

/** Tables that have an owner and are no part of a thread, with the columns that name a row. Crons first: they make the rest. */
export const OWNED_TABLES = [
  { table: 'crons', key: 'seq' },
  { table: 'cron_threads', key: 'run_id' },
  { table: 'assistants', key: 'key' },
  { table: 'items', key: 'seq' },
  { table: 'idempotency', key: 'key' },
  { table: 'usage', key: 'day' },
] as const;

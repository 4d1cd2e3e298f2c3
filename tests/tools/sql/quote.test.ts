/** Names in statements: quoted wherever DuckDB would read them as something else. */
import { expect, test } from 'bun:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { identifier } from '../../../tools/sql/quote.ts';

test('every word that DuckDB knows can be the name of a table and of a column', async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const words = await connection.runAndReadAll('SELECT DISTINCT keyword_name FROM duckdb_keywords()');
  for (const [word] of words.getRows()) {
    const name = identifier(String(word));
    const sql = `SELECT ${name}.${name}, ${name} AS ${name} FROM ${name} GROUP BY ${name} ORDER BY ${name}`;
    await connection.run(`CREATE OR REPLACE TABLE ${name} (${name} INTEGER)`);
    const outcome = await connection.runAndReadAll(sql).then(
      () => 'runs',
      (error) => String(error),
    );
    expect([sql, outcome]).toEqual([sql, 'runs']);
  }
  connection.closeSync();
  instance.closeSync();
});

import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { openDatabase } from '../../../state/postgres/database/database.ts';
import { freshDatabase, POSTGRES } from '../../support/postgres-database.ts';

test.skipIf(POSTGRES === undefined)('retries a statement after a deadlock', async () => {
  const { url, drop } = await freshDatabase();
  const database = openDatabase({ url, size: 1, timeoutMs: 20_000 });
  const other = new SQL({ url, max: 1 });
  await other`CREATE TABLE counts AS SELECT place, 0 AS count FROM generate_series(1, 2) AS place`;
  await other.begin(async (tx) => {
    await tx`UPDATE counts SET count = count + 1 WHERE place = 2`;
    const both = database.run('UPDATE counts SET count = count + 10');
    await Bun.sleep(300);
    // PostgreSQL aborts the transaction that began to wait first.
    await tx`UPDATE counts SET count = count + 1 WHERE place = 1`;
    void both;
  });
  await database.run('UPDATE counts SET count = count');
  expect(await database.all('SELECT * FROM counts ORDER BY place')).toEqual([
    { place: 1, count: 11 },
    { place: 2, count: 11 },
  ]);
  await database.close();
  await other.close({ timeout: 0 });
  await drop();
});

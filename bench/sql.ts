/** The overhead of the guard and the separate process of a SQL statement, compared with DuckDB in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openDuckDb } from '../tools/sql/duckdb/open.ts';
import type { SqlEngine } from '../tools/sql/engine.ts';
import { median } from './load.ts';

const STATEMENTS = {
  'a count': 'SELECT count(*) AS n FROM sales',
  'a sum by group': 'SELECT store, sum(amount) AS total FROM sales GROUP BY store ORDER BY total DESC',
  'a join by month': `SELECT s.city, date_trunc('month', sold_on) AS month, sum(amount) AS total, count(*) AS n FROM sales
    JOIN stores s ON s.id = store GROUP BY ALL ORDER BY ALL`,
  '200 rows of 6 columns': 'SELECT * FROM sales ORDER BY id LIMIT 200',
};

const ROUNDS = 400;
const WARM = 50;

export async function sql(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const path = join(folder, 'sales.duckdb');
  await makeSales(path);
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', threads: '2' });
  const direct = await instance.connect();
  const engine = openDuckDb({ path, processes: 1 });
  const lines: string[] = [];
  for (const [name, statement] of Object.entries(STATEMENTS))
    lines.push(await line(name, statement, direct, engine));
  await engine.close();
  direct.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
  return `## SQL

| statement over 20 000 rows | DuckDB in this process, p50 ms | guard and separate process, p50 ms | overhead, ms |
|---|---|---|---|
${lines.join('\n')}

The same statement, alternating, ${ROUNDS} times each; both return JSON. The goal is an overhead of at most 3 ms.
`;
}

async function line(
  name: string,
  statement: string,
  direct: DuckDBConnection,
  engine: SqlEngine,
): Promise<string> {
  const [bare, guarded]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM + ROUNDS; round++) {
    const first = await timed(async () => (await direct.runAndReadAll(statement)).getRowObjectsJson());
    const second = await timed(() => engine.query(statement));
    if (round < WARM) continue;
    bare.push(first);
    guarded.push(second);
  }
  const [alone, whole] = [median(bare), median(guarded)];
  return `| ${name} | ${alone.toFixed(2)} | ${whole.toFixed(2)} | ${(whole - alone).toFixed(2)} |`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function makeSales(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(
    "CREATE TABLE stores AS SELECT range::INTEGER AS id, 'City ' || range AS city FROM range(12)",
  );
  await connection.run(`CREATE TABLE sales AS SELECT range::INTEGER AS id, (range % 12)::INTEGER AS store,
    DATE '2023-01-01' + (range // 20)::INTEGER AS sold_on, (range % 500 * 3.5)::DECIMAL(10, 2) AS amount,
    (range % 7)::INTEGER AS quantity, 'Customer ' || range % 900 AS customer FROM range(20000)`);
  connection.closeSync();
  instance.closeSync();
}

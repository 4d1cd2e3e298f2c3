/** Opens an engine in a process that a test kills: prints the rows of a query, and then keeps the processor busy. */
import { openDuckDb } from '../../../../tools/sql/duckdb/open.ts';

const engine = openDuckDb({ path: process.argv[2] ?? '', querySeconds: 60 });
const { rows } = await engine.query('SELECT count(*) AS n FROM orders');
console.log(JSON.stringify(rows));
await engine.query(
  'SELECT sum(a.id + b.id + c.id + d.id) FROM orders a JOIN orders b USING (same) JOIN orders c USING (same) JOIN orders d USING (same)',
);

/** A process that holds an engine, to be killed by a test: prints the rows of a query, then burns until then. */
import { openDuckDb } from '../../../tools/sql/duckdb/open.ts';

const engine = openDuckDb({ path: process.argv[2] ?? '', querySeconds: 60 });
const { rows } = await engine.query('SELECT count(*) AS n FROM orders');
console.log(JSON.stringify(rows));
await engine.query(
  'SELECT sum(a.id + b.id + c.id + d.id) FROM orders a JOIN orders b USING (same) JOIN orders c USING (same) JOIN orders d USING (same)',
);

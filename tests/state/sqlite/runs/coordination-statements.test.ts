/** The queue is read in order from its index, however long it is. */
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { migrate } from '../../../../state/sqlite/file/schema.ts';
import { coordinationStatements } from '../../../../state/sqlite/runs/coordination-statements.ts';

const db = new Database(':memory:');
migrate(db);

test('the next run of the queue is found without reading and sorting the others', () => {
  const { ready } = coordinationStatements(db);
  const plan = db.query<{ detail: string }, SQLQueryBindings[]>(`EXPLAIN QUERY PLAN ${ready}`).all(1);
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH r USING INDEX runs_queued (not_before=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH e USING INDEX runs_unfinished (thread=?)',
  ]);
});

/** Batches of a log are found without scanning earlier ones. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { migrate } from '../../../../state/sqlite/file/schema.ts';
import { AFTER_CHAT, AFTER_ENTRY, AFTER_SEQ } from '../../../../state/sqlite/runs/event-log.ts';
import { CHANGES_AFTER } from '../../../../state/sqlite/runs/state-changes.ts';

const db = new Database(':memory:');
migrate(db);

test.each([
  ['an entry', AFTER_ENTRY, 'run_id=? AND first>?'],
  ["a number of chat's", AFTER_CHAT, 'run_id=? AND first>?'],
  ['a number of the thread', AFTER_SEQ, 'thread=? AND seq>?'],
  ['a number of the thread, of changes of its state,', CHANGES_AFTER, 'thread=? AND seq>?'],
])('entries after %s are found in the order of an index', (_, sql, search) => {
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  expect(plan[0]?.detail).toContain(`(${search})`);
  expect(plan.map(({ detail }) => detail).join('\n')).not.toMatch(/SCAN|TEMP B-TREE/);
});

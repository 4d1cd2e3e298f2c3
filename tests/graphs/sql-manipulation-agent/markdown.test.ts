/** Rows and statements as Markdown; markup in their values is escaped. */
import { expect, test } from 'bun:test';
import { codeBlock, markdownTable } from '../../../graphs/sql-manipulation-agent/markdown.ts';
import type { SqlCell } from '../../../tools/sql/engine.ts';

const table = (limit: number, ...cells: SqlCell[]) =>
  markdownTable(
    {
      columns: [{ name: 'a', type: 'VARCHAR' }],
      rows: cells.map((a) => ({ a })),
      rowCount: cells.length,
      truncated: false,
      durationMs: 1,
    },
    limit,
  ).split('\n');

test('the number of rows is limited, and plain text stays plain', () => {
  expect(table(2, 'x', 1.5, 'z')).toEqual(['| a |', '| --- |', '| x |', '| 1.5 |']);
  expect(table(3, null, true, { k: 1 }).slice(2)).toEqual(['|  |', '| true |', '| {"k":1} |']);
  expect(table(1, 'avg_rating 2024-01-01').at(-1)).toBe('| avg_rating 2024-01-01 |');
});

test.each([
  ['<b>', '| ` <b> ` |'],
  ['[x](http://e)', '| ` [x](http://e) ` |'],
  ['www.e.com', '| ` www.e.com ` |'],
  ['a@b.c', '| ` a@b.c ` |'],
  ['**b**', '| ` **b** ` |'],
  ['_b_', '| ` _b_ ` |'],
  ['a`b', '| `` a`b `` |'],
  ['a|b', '| a\\|b |'],
  ['a\nb\u202ec', '| a b c |'],
])('%j becomes %s', (cell, line) => expect(table(1, cell).at(-1)).toBe(line));

test('a fence is longer than any fence inside it', () => {
  expect(codeBlock('SELECT 1', 'sql')).toBe('```sql\nSELECT 1\n```');
  expect(codeBlock("'````'", 'sql')).toStartWith('`````sql\n');
});

/** Questions about the tables themselves, and those that only sound like it. */
import { expect, test } from 'bun:test';
import { schemaAnswer } from '../../../../../tools/models/offline/sql/schema-question.ts';

const TABLES = [
  { name: 'sales', rows: 6000, columns: [{ name: 'sale_date', type: 'DATE', samples: [] }] },
  { name: 'stores', rows: 1, columns: [{ name: 'name', type: 'VARCHAR', samples: [] }] },
];

test.each(['What tables are there?', 'Which tables do you have?', 'list all tables', 'Describe the schema'])(
  '%s: names and rows',
  (question) =>
    expect(schemaAnswer(question, TABLES)).toBe('There are 2 tables: sales (6000 rows), stores (1 row).'),
);

test.each(['What columns does sales have?', 'Describe sales', 'List the columns of the table sales'])(
  '%s: its columns',
  (question) => expect(schemaAnswer(question, TABLES)).toBe('sales, 6000 rows: sale_date (DATE).'),
);

test.each(['Which stores sold the most?', 'Show the table of top products', 'How many sales are there?'])(
  '%s: not about the tables',
  (question) => expect(schemaAnswer(question, TABLES)).toBeUndefined(),
);

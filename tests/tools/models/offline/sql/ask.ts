/** Asks the offline model for SQL over its HTTP interface, with a schema as data. */

import type { SqlCell, Table } from '../../../../../tools/sql/engine.ts';
import { schemaText } from '../../../../../tools/sql/schema-text.ts';
import { complete, type Message, responseFormat } from '../complete.ts';

export interface Written {
  sql: string;
  explanation: string;
  tables: string[];
}

/** Columns as `name TYPE`, with their samples. */
export function table(name: string, rows: number, columns: Record<string, SqlCell[]>): Table {
  return {
    name,
    rows,
    columns: Object.entries(columns).map(([column, samples]) => {
      const space = column.lastIndexOf(' ');
      return { name: column.slice(0, space), type: column.slice(space + 1), samples };
    }),
  };
}

export const SHOP: Table[] = [
  table('products', 4, {
    'product_id INTEGER': [1, 2],
    'brand VARCHAR': ['Velora', 'Citro'],
    'model VARCHAR': ['Metro 8', 'Troll'],
    'category VARCHAR': ['road', 'city', 'e-bike'],
    'list_price DECIMAL(10,2)': ['899.00'],
    'cost DECIMAL(10,2)': ['500.00'],
  }),
  table('sales', 9, {
    'sale_id INTEGER': [1, 2],
    'sale_date DATE': ['2023-01-02'],
    'store_id INTEGER': [1],
    'product_id INTEGER': [1],
    'quantity INTEGER': [1, 2],
    'unit_price DECIMAL(10,2)': ['899.00'],
  }),
  table('stores', 3, {
    'store_id INTEGER': [1],
    'name VARCHAR': ["O'Neil's Bikes", 'Bike Hub'],
    'city VARCHAR': ['Berlin', 'Zürich'],
  }),
];

export const STAFF: Table[] = [
  table('departments', 2, { 'id INTEGER': [1], 'name VARCHAR': ['Engineering'], 'order VARCHAR': ['a'] }),
  table('Employees', 5, {
    'id INTEGER': [1],
    'firstName VARCHAR': ['Ada', 'Alan'],
    'lastName VARCHAR': ['Lovelace', 'Turing'],
    'salary DOUBLE': [7000],
    'hired_on VARCHAR': ['2019-03-01', '2020-07-15'],
    'department_id INTEGER': [1],
  }),
];

const property = (type: string) => ({ type });
const SCHEMA = {
  type: 'object',
  properties: {
    sql: property('string'),
    explanation: property('string'),
    tables: { type: 'array', items: property('string') },
  },
  required: ['sql', 'explanation', 'tables'],
  additionalProperties: false,
};

export async function ask(tables: Table[], ...questions: string[]): Promise<Written> {
  return askUnder(`You write SQL.\n\n${schemaText(tables)}\n\nAnswer in JSON.`, ...questions);
}

export async function askUnder(system: string, ...questions: string[]): Promise<Written> {
  const said = questions.flatMap((text): Message[] => [
    ['assistant', 'Which store sold the most? Here it is.'],
    ['user', text],
  ]);
  return JSON.parse(await complete('sql', [['system', system], ...said], responseFormat(SCHEMA)));
}

/** Questions that the offline model rejects instead of answering another one, and names that it must not overlook. */
import { expect, test } from 'bun:test';
import { writeSql } from '../../../../../tools/models/offline/sql/write-sql.ts';
import { table } from './ask.ts';

const TABLES = [
  table('sales2024', 10, {
    'id INTEGER': [1],
    'storeId INTEGER': [1],
    'unitPrice DOUBLE': [2.5],
    'qty INTEGER': [1],
  }),
  table('sales2023', 10, {
    'id INTEGER': [1],
    'storeId INTEGER': [1],
    'unitPrice DOUBLE': [2.5],
    'qty INTEGER': [1],
  }),
  table('stores', 3, {
    'storeId INTEGER': [1],
    'name VARCHAR': ['A'],
    'city VARCHAR': ['Bern', 'Zug'],
    'area_m2 DOUBLE': [20],
  }),
  table('airQuality', 5, {
    'Ozone DOUBLE': [41],
    'Solar.R DOUBLE': [190],
    'Wind DOUBLE': [7.4],
    'Month INTEGER': [5],
  }),
  table('order', 5, { 'Total Amount DOUBLE': [41], 'select VARCHAR': ['x'] }),
];

const ask = (question: string) => writeSql([question], TABLES).sql.replace(/\s+/g, ' ');

test.each([
  ['How many rows are in sales2023?', 'SELECT count(*) AS number_of_sales2023 FROM sales2023'],
  [
    'What is the average unitPrice in sales2023?',
    'SELECT avg(sales2023."unitPrice") AS "avg_unitPrice" FROM sales2023',
  ],
  ['how many airQuality rows', 'SELECT count(*) AS number_of_airquality FROM "airQuality"'],
  ['average "Solar.R"', 'SELECT avg("airQuality"."Solar.R") AS "avg_Solar.R" FROM "airQuality"'],
  ['sum of "Total Amount"', 'SELECT sum("order"."Total Amount") AS "sum_Total Amount" FROM "order"'],
  ['How many rows in "order"?', 'SELECT count(*) AS number_of_order FROM "order"'],
])('a table or column that is called by its name is used: %s', (question, sql) => {
  expect(ask(question)).toBe(sql);
});

test.each([
  'total qty in sales2023 and sales2024',
  'How many stores in "city"?',
  'average unit price',
  'What is the average of stores?',
  'cheapest stores',
  'What is the cheapest store in Bern?',
  'fastest stores',
  'tallest stores in Bern',
  'cheapest and most expensive sales2024',
  'max Wind and min Ozone',
  'stores sorted by area_m2',
  'How many stores per store?',
  'How many cities per city?',
  'stores with the most stores',
])('a question that it cannot answer completely is rejected: %s', (question) => {
  expect(ask(question)).toBe('');
});

test('a count per group is still answered', () => {
  expect(ask('number of stores per city')).toContain('GROUP BY stores.city');
  expect(ask('Which store has the largest area_m2?')).toContain('ORDER BY stores.area_m2 DESC LIMIT 1');
});

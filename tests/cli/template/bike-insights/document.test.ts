/** Which documents are valid, and the position of errors in the others. */
import { expect, test } from 'bun:test';
import { readDocument } from '../../../../cli/template/bike-insights/graphs/bike-insights/document.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { SPECIFIED } from './documents.ts';

const withSale = (sale: string) => `{"stores":[{"bike_sales":[{},{},${sale}]}]}`;
const withStore = (store: string) => `{"stores":[${store}]}`;

function refusal(text: string): SkeinError | undefined {
  try {
    readDocument(text);
  } catch (error) {
    if (error instanceof SkeinError) return error;
    throw error;
  }
  return undefined;
}

test.each([
  ['{"stores":[]}'],
  [JSON.stringify(SPECIFIED)],
  [' {"stores": [{}], "revision_id": "v", "identifier": "", "more": [{"any": null}]}\n'],
  [withStore('{"name": "", "location": "", "bike_sales": [], "bike_stock": [], "x": null}')],
  [withStore('{"bike_stock": [{}, {"bike": {"price": "much"}}, {"bike": [1], "quantity": null}]}')],
  [withSale('{"quantity_sold": -3, "year": 0, "month": "Floréal", "customer_review": {}}')],
  [
    withSale(
      '{"quantity_sold": 2.0, "sale_date": "2024-02-29", "customer_review": {"rating": -1.5e3, "x": 1}}',
    ),
  ],
  ['{"stores": 1, "stores": []}'],
  [`{"stores":[],"deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
])('%s is a valid document', (text) => {
  expect(refusal(text)).toBeUndefined();
});

test.each([
  ['[]', 'user_prompt', 'expected an object with the field stores'],
  ['"stores"', 'user_prompt', 'expected an object with the field stores'],
  ['null', 'user_prompt', 'expected an object with the field stores'],
  ['42', 'user_prompt', 'expected an object with the field stores'],
  ['{}', 'stores', 'missing, expected a list'],
  ['{"Stores":[]}', 'stores', 'missing, expected a list'],
  ['{"stores":null}', 'stores', 'expected a list'],
  ['{"stores":{"name":"x"}}', 'stores', 'expected a list'],
  ['{"stores":[],"revision_id":7}', 'revision_id', 'expected text'],
  ['{"stores":[],"identifier":null}', 'identifier', 'expected text'],
  ['{"stores":[{},[]]}', 'stores[1]', 'expected an object'],
  ['{"stores":["secret"]}', 'stores[0]', 'expected an object'],
  [withStore('{"name":1}'), 'stores[0].name', 'expected text'],
  [withStore('{"location":["secret"]}'), 'stores[0].location', 'expected text'],
  [withStore('{"bike_sales":{}}'), 'stores[0].bike_sales', 'expected a list'],
  [withStore('{"bike_stock":7}'), 'stores[0].bike_stock', 'expected a list'],
  [withStore('{"bike_stock":[{},[]]}'), 'stores[0].bike_stock[1]', 'expected an object'],
  [withStore('{"bike_stock":["secret"]}'), 'stores[0].bike_stock[0]', 'expected an object'],
  [withSale('7'), 'stores[0].bike_sales[2]', 'expected an object'],
  [withSale('{"product_code":7}'), 'stores[0].bike_sales[2].product_code', 'expected text'],
  [withSale('{"quantity_sold":"3"}'), 'stores[0].bike_sales[2].quantity_sold', 'expected an integer'],
  [withSale('{"quantity_sold":1.5}'), 'stores[0].bike_sales[2].quantity_sold', 'expected an integer'],
  [withSale('{"quantity_sold":1e400}'), 'stores[0].bike_sales[2].quantity_sold', 'expected an integer'],
  [withSale('{"quantity_sold":1e300}'), 'stores[0].bike_sales[2].quantity_sold', 'expected an integer'],
  [withSale('{"quantity_sold":true}'), 'stores[0].bike_sales[2].quantity_sold', 'expected an integer'],
  [withSale('{"year":"2024"}'), 'stores[0].bike_sales[2].year', 'expected an integer'],
  [withSale('{"month":5}'), 'stores[0].bike_sales[2].month', 'expected text'],
  [withSale('{"sale_date":20240101}'), 'stores[0].bike_sales[2].sale_date', 'expected a date as YYYY-MM-DD'],
  [
    withSale('{"sale_date":"14.05.2024"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date as YYYY-MM-DD',
  ],
  [
    withSale('{"sale_date":"2024-5-1"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date as YYYY-MM-DD',
  ],
  [
    withSale('{"sale_date":"2024-05-01\\n"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date as YYYY-MM-DD',
  ],
  [
    withSale('{"sale_date":"2024-05-01T10:00"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date as YYYY-MM-DD',
  ],
  [
    withSale('{"sale_date":"2023-02-29"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date that exists',
  ],
  [
    withSale('{"sale_date":"2024-13-01"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date that exists',
  ],
  [
    withSale('{"sale_date":"2024-04-31"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date that exists',
  ],
  [
    withSale('{"sale_date":"2024-00-10"}'),
    'stores[0].bike_sales[2].sale_date',
    'expected a date that exists',
  ],
  [withSale('{"customer_review":"secret"}'), 'stores[0].bike_sales[2].customer_review', 'expected an object'],
  [withSale('{"customer_review":null}'), 'stores[0].bike_sales[2].customer_review', 'expected an object'],
  [
    withSale('{"customer_review":{"rating":"5"}}'),
    'stores[0].bike_sales[2].customer_review.rating',
    'expected a number',
  ],
  [
    withSale('{"customer_review":{"rating":-1e999}}'),
    'stores[0].bike_sales[2].customer_review.rating',
    'expected a number',
  ],
  [
    withSale('{"customer_review":{"comment":[]}}'),
    'stores[0].bike_sales[2].customer_review.comment',
    'expected text',
  ],
])('%s has an error at %s: %s', (text, path, expected) => {
  const { code, detail, message } = refusal(text) ?? {};
  expect([code, detail]).toEqual(['INVALID_WORKFLOW_INPUT', `${path}: ${expected}`]);
  expect(`${detail} ${message}`).not.toMatch(/secret|20240101|1e/);
});

test.each([
  ['Analyse my sales, please', 'line 1 column 1 (char 0)'],
  ['{"stores":[}', 'line 1 column 12 (char 11)'],
  ['{"stores":[]', 'line 1 column 13 (char 12)'],
  ['{"stores":[{"name":"a"} {"name":"b"}]}', 'line 1 column 25 (char 24)'],
  ["{'stores':[]}", 'line 1 column 2 (char 1)'],
  ['{"stores":[],}', 'line 1 column 14 (char 13)'],
  ['{"stores":[]}\n}', 'line 2 column 1 (char 14)'],
  ['{"stores":[{"bike_sales":[{"quantity_sold":NaN}]}]}', 'line 1 column 44 (char 43)'],
  ['{"stores":[{"bike_sales":[{"quantity_sold":05}]}]}', 'line 1 column 45 (char 44)'],
  ['{"stores":[{"name":"a\tb"}]}', 'line 1 column 22 (char 21)'],
  ['{"stores":[{"name":"😀"}],\n  "identifier": None}', 'line 2 column 17 (char 42)'],
  ['// sales\n{"stores":[]}', 'line 1 column 1 (char 0)'],
  ['\ufeff{"stores":[]}', 'line 1 column 1 (char 0)'],
  ['```json\n{"stores":[]}\n```', 'line 1 column 1 (char 0)'],
  [`{"stores":${'['.repeat(100_000)}`, 'line 1 column 100011 (char 100010)'],
])('%s is invalid JSON from %s on', (text, place) => {
  const { code, message, detail } = refusal(text) ?? {};
  expect([code, message, detail]).toEqual(['INVALID_WORKFLOW_INPUT', `Expecting value: ${place}`, undefined]);
});

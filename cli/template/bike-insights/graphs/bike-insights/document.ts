/** The document of bike sales in a prompt: its schema and its parser. */
import { readJson, SkeinError, type Static, Type } from 'skein';

const Text = Type.Optional(Type.String());

/** Up to this limit, sums are exact and fit into databases. */
const Whole = Type.Optional(
  Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    expected: 'an integer',
  }),
);

const Sale = Type.Object({
  product_code: Text,
  quantity_sold: Whole,
  sale_date: Type.Optional(
    Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', expected: 'a date as YYYY-MM-DD' }),
  ),
  year: Whole,
  month: Text,
  customer_review: Type.Optional(
    Type.Object({ rating: Type.Optional(Type.Number()), comment: Text }, { expected: 'an object' }),
  ),
});
export type Sale = Static<typeof Sale>;

const Store = Type.Object(
  {
    name: Text,
    location: Text,
    bike_sales: Type.Optional(Type.Array(Type.Object(Sale.properties, { expected: 'an object' }))),
    /** Any shape is allowed; `stock.ts` understands `{bike: {brand, model, year, price}, quantity}`. */
    bike_stock: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Unknown(), { expected: 'an object' })),
    ),
  },
  { expected: 'an object' },
);
export type Store = Static<typeof Store>;

/** Unknown fields are kept. */
const BikeDocument = Type.Object(
  { stores: Type.Array(Store), revision_id: Text, identifier: Text },
  { expected: 'an object with the field stores' },
);
export type BikeDocument = Static<typeof BikeDocument>;

/** Throws INVALID_WORKFLOW_INPUT with the position in the text, or the path in the document. */
export function readDocument(text: string): BikeDocument {
  const document = readJson(text, BikeDocument);
  for (const [store, { bike_sales = [] }] of document.stores.entries()) {
    const sale = bike_sales.findIndex(({ sale_date }) => sale_date !== undefined && !isDate(sale_date));
    if (sale < 0) continue;
    const detail = `stores[${store}].bike_sales[${sale}].sale_date: expected a date that exists`;
    throw new SkeinError('INVALID_WORKFLOW_INPUT', { detail });
  }
  return document;
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

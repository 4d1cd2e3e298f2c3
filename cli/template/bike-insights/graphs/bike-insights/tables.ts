/** Converts a document to database tables: stores, sales, reviews and stock. */
import type { ColumnType, TableCell, TableData } from 'skein';
import type { BikeDocument } from './document.ts';
import { extraColumns } from './extra-columns.ts';
import { pricesOf } from './prices.ts';
import { isFields, type StockEntry, stockNumber, stockText } from './stock.ts';

type Fields = Record<string, unknown>;

/** A row: its cells, and the document's fields that have no column. */
interface Row {
  cells: TableCell[];
  extra: Fields;
}

// Real documents have fewer rows; one megabyte of empty objects would be 350,000.
export const MAX_ROWS = 50_000;

/** Unknown fields with plain values become additional columns. */
export function tablesOf({ stores }: BikeDocument): TableData[] {
  const priceOf = pricesOf(stores);
  const rows = { stores: [] as Row[], sales: [] as Row[], reviews: [] as Row[], stock: [] as Row[] };
  for (const [index, { name, location, bike_sales = [], bike_stock = [], ...extra }] of stores.entries()) {
    const store_id = index + 1;
    if (!add(rows.stores, () => ({ cells: [store_id, name ?? null, location ?? null], extra }))) break;
    for (const sale of bike_sales) {
      const { product_code: code, quantity_sold, sale_date, year, month, customer_review, ...more } = sale;
      const sale_id = rows.sales.length + 1;
      const price = code === undefined ? undefined : priceOf(index, code);
      const figures = [code, quantity_sold, sale_date, year, month, price];
      // A review without its sale would refer to a missing row.
      if (!add(rows.sales, () => ({ cells: [sale_id, store_id, ...figures.map(orNull)], extra: more })))
        break;
      if (!customer_review) continue;
      const { rating, comment, ...rest } = customer_review;
      const review = [rows.reviews.length + 1, sale_id, store_id, ...[code, rating, comment].map(orNull)];
      add(rows.reviews, () => ({ cells: review, extra: rest }));
    }
    for (const entry of bike_stock)
      if (!add(rows.stock, () => stockRow(entry, [rows.stock.length + 1, store_id]))) break;
  }
  return [
    table('stores', 'store_id BIGINT, name VARCHAR, location VARCHAR', rows.stores),
    table(
      'sales',
      'sale_id BIGINT, store_id BIGINT, product_code VARCHAR, quantity_sold BIGINT, sale_date DATE, year BIGINT, month VARCHAR, unit_price DOUBLE',
      rows.sales,
    ),
    table(
      'reviews',
      'review_id BIGINT, sale_id BIGINT, store_id BIGINT, product_code VARCHAR, rating DOUBLE, comment VARCHAR',
      rows.reviews,
    ),
    table(
      'stock',
      'stock_id BIGINT, store_id BIGINT, brand VARCHAR, model VARCHAR, year DOUBLE, price DOUBLE, quantity DOUBLE',
      rows.stock,
    ),
  ];
}

/** Returns false if the table is full. */
function add(rows: Row[], make: () => Row): boolean {
  if (rows.length >= MAX_ROWS) return false;
  rows.push(make());
  return true;
}

function stockRow(entry: StockEntry, ids: number[]): Row {
  const names = [stockText(entry, 'brand'), stockText(entry, 'model')];
  const figures = ['year', 'price', 'quantity'].map((name) => stockNumber(entry, name));
  const extra = { ...entry, ...(isFields(entry.bike) ? entry.bike : {}) };
  return { cells: [...ids, ...names.map(orNull), ...figures.map(orNull)], extra };
}

/** `shape`: the columns in SQL. */
function table(name: string, shape: string, rows: Row[]): TableData {
  const own = shape.split(', ').map((column) => {
    const [name = '', type] = column.split(' ');
    return { name, type: type as ColumnType };
  });
  const extra = extraColumns(
    rows.map((row) => row.extra),
    own.map((column) => column.name),
  );
  return {
    name,
    columns: [...own, ...extra.map(({ name, type }) => ({ name, type }))],
    rows: rows.map((row) => [...row.cells, ...extra.map(({ cell }) => cell(row.extra))]),
  };
}

function orNull(value: TableCell | undefined): TableCell {
  return value ?? null;
}

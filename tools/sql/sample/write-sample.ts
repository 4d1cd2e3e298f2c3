/** The program that writes the sample database, in a separate process: `bun write-sample.ts <file>`. */
import { DuckDBDateValue, DuckDBDecimalValue, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { MARK } from './mark.ts';
import { PRODUCTS } from './products.ts';
import { sampleReviews } from './reviews.ts';
import { sampleSales } from './sales.ts';
import { sampleStock } from './stock.ts';
import { STORES } from './stores.ts';

const SCHEMA = `
CREATE TABLE stores (store_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR NOT NULL,
  country VARCHAR NOT NULL, opened DATE NOT NULL);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, brand VARCHAR NOT NULL, model VARCHAR NOT NULL,
  category VARCHAR NOT NULL, model_year INTEGER NOT NULL, list_price DECIMAL(10,2) NOT NULL, cost DECIMAL(10,2) NOT NULL);
CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, sale_date DATE NOT NULL, store_id INTEGER NOT NULL REFERENCES stores,
  product_id INTEGER NOT NULL REFERENCES products, quantity INTEGER NOT NULL, unit_price DECIMAL(10,2) NOT NULL);
CREATE TABLE stock (store_id INTEGER NOT NULL REFERENCES stores, product_id INTEGER NOT NULL REFERENCES products,
  quantity INTEGER NOT NULL, PRIMARY KEY (store_id, product_id));
CREATE TABLE reviews (review_id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products,
  store_id INTEGER NOT NULL REFERENCES stores, rating INTEGER NOT NULL, comment VARCHAR NOT NULL, review_date DATE NOT NULL);
`;

/** Converts a cell of a generated row for the database; other values are used unchanged. */
const CELLS: Record<string, (value: string | number) => DuckDBValue> = {
  opened: date,
  sale_date: date,
  review_date: date,
  list_price: euros,
  cost: euros,
  unit_price: euros,
};

try {
  await write(process.argv[2] ?? ':memory:');
} catch (error) {
  console.error(error instanceof Error ? error.message.split('\n')[0] : String(error));
  process.exitCode = 1;
}

async function write(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(path, { threads: '1' });
  const connection = await instance.connect();
  await connection.run(SCHEMA);
  await connection.run(`CREATE SCHEMA ${MARK}`);
  const sales = sampleSales();
  const append = async <Row extends object>(table: string, rows: readonly Row[]) => {
    const appender = await connection.createAppender(table);
    for (const row of rows) {
      for (const [name, value] of Object.entries(row).slice(0, appender.columnCount)) {
        const cell: DuckDBValue = CELLS[name]?.(value) ?? value;
        if (typeof cell === 'number') appender.appendInteger(cell);
        else appender.appendValue(cell);
      }
      appender.endRow();
    }
    appender.closeSync();
  };
  await append('stores', STORES);
  await append('products', PRODUCTS);
  await append('sales', sales);
  await append('stock', sampleStock());
  await append('reviews', sampleReviews(sales));
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
}

function date(value: string | number): DuckDBDateValue {
  const days = Date.parse(`${value}T00:00:00Z`) / 86_400_000;
  return new DuckDBDateValue(days);
}

function euros(value: string | number): DuckDBDecimalValue {
  return new DuckDBDecimalValue(BigInt(Math.round(Number(value) * 100)), 10, 2);
}

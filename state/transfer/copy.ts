/** Copies a whole state from one database to another, whichever drivers these are of. */
import { configurationError, SkeinError } from '../errors.ts';
import { type Digest, digesting } from './digest.ts';
import { fromStored, readColumns } from './shapes.ts';
import type { Reading, Row, Store, Writing } from './store.ts';
import { TABLES, type Table } from './tables.ts';

export interface CopyOptions {
  source: Store;
  target: Store;
  /** What the target is called in errors. */
  targetName: string;
  /** Writes over a target of an earlier copy even where it has changed since. */
  replace: boolean;
  /** Is called after each table, with what both have of it. */
  copied?(table: string, digest: Digest): void;
}

type Digests = Record<string, Digest>;

/**
 * All or nothing. The target is empty, or of an earlier copy and as that left it. Throws INTERNAL_ERROR where the target
 * does not read as the source did; then it is as it was before.
 */
export async function copyState(options: CopyOptions): Promise<Digests> {
  const { source, target, targetName, replace, copied } = options;
  return source.read((from) =>
    target.write(async (to) => {
      await checkTarget(to, targetName, replace);
      await to.clear();
      const digests: Digests = {};
      for (const table of TABLES) {
        const digest = await copyTable(table, from, to);
        digests[table.name] = digest;
        copied?.(table.name, digest);
      }
      await to.leaveMark(JSON.stringify(digests));
      return digests;
    }),
  );
}

async function copyTable(table: Table, from: Reading, to: Writing): Promise<Digest> {
  const highest = await from.highest(table);
  const read = digesting();
  for await (const rows of rowsOf(table, from)) {
    read.add(rows);
    await to.insert(table, rows);
  }
  await to.raise(table, highest);
  const [wanted, found] = [read.digest(), await digestOf(table, to)];
  if (wanted.rows === found.rows && wanted.sum === found.sum) return wanted;
  const message = `The copy differs from its source in the table '${table.name}': ${wanted.rows} rows were read, and ${found.rows} are there`;
  throw new SkeinError('INTERNAL_ERROR', { message });
}

async function checkTarget(to: Writing, name: string, replace: boolean): Promise<void> {
  const mark = await to.mark();
  const before = mark === undefined ? undefined : (JSON.parse(mark) as Digests);
  if (before && replace) return;
  for (const table of TABLES) {
    const { rows, sum } = await digestOf(table, to);
    const known = before?.[table.name];
    if (rows === (known?.rows ?? 0) && (rows === 0 || sum === known?.sum)) continue;
    throw configurationError(
      name,
      before
        ? 'it has changed since it was copied to; give --replace to write over it, or another target'
        : `it is not empty: '${table.name}' has ${rows} rows; give an empty target, or one of an earlier copy`,
    );
  }
}

async function digestOf(table: Table, reading: Reading): Promise<Digest> {
  const digest = digesting();
  for await (const rows of rowsOf(table, reading)) digest.add(rows);
  return digest.digest();
}

async function* rowsOf(table: Table, reading: Reading): AsyncGenerator<Row[]> {
  const { driver } = reading;
  const slices = reading.select({
    columns: readColumns(driver, table),
    from: reading.table(table.name),
    order: orderOf(table, driver),
  });
  for await (const rows of slices) yield rows.map((row) => fromStored(driver, table, row));
}

function orderOf({ order, orderOnPostgres }: Table, driver: Reading['driver']): string {
  return driver === 'postgres' ? (orderOnPostgres ?? order) : order;
}

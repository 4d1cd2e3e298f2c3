/** Copies a whole state from one database to another, between any two drivers. */
import { configurationError, SkeinError } from '../errors.ts';
import { type Digest, startDigest } from './digest.ts';
import { fromStored, readColumns } from './shapes.ts';
import type { Reading, Row, Store, Writing } from './store.ts';
import { TABLES, type Table } from './tables.ts';

export interface CopyOptions {
  source: Store;
  target: Store;
  /** The name of the target in errors. */
  targetName: string;
  /** Overwrites the target of an earlier copy even if it has changed since. */
  replace: boolean;
  /** Called after each table with its digest, which is the same in source and target. */
  copied?(table: string, digest: Digest): void;
}

type Digests = Record<string, Digest>;

/**
 * Copies in one transaction. The target must be empty, or an unchanged earlier copy. Otherwise throws CONFIGURATION_ERROR.
 * Throws INTERNAL_ERROR and leaves the target unchanged if the copied rows differ from the source.
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
  const read = startDigest();
  for await (const rows of rowsOf(table, from)) {
    read.add(rows);
    await to.insert(table, rows);
  }
  await to.raise(table, highest);
  const [wanted, found] = [read.digest(), await digestOf(table, to)];
  if (wanted.rows === found.rows && wanted.sum === found.sum) return wanted;
  const message = `The copy of the table '${table.name}' differs from its source: ${wanted.rows} rows were read and ${found.rows} were written`;
  throw new SkeinError('INTERNAL_ERROR', { message });
}

async function checkTarget(to: Writing, name: string, replace: boolean): Promise<void> {
  const mark = await to.mark();
  const earlier = mark === undefined ? undefined : (JSON.parse(mark) as Digests);
  if (earlier && replace) return;
  for (const table of TABLES) {
    const { rows, sum } = await digestOf(table, to);
    const known = earlier?.[table.name];
    if (rows === (known?.rows ?? 0) && (rows === 0 || sum === known?.sum)) continue;
    throw configurationError(
      name,
      earlier
        ? 'it has changed since the last copy. Use --replace to overwrite it, or choose another target'
        : `it is not empty: '${table.name}' has ${rows} rows. Choose an empty target, or one of an earlier copy`,
    );
  }
}

async function digestOf(table: Table, reading: Reading): Promise<Digest> {
  const digest = startDigest();
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

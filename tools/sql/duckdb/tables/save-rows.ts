/** Writes the rows of a statement to a file, as CSV or as Parquet. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBPreparedStatement, DuckDBResult } from '@duckdb/node-api';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Cut, Saved } from '../../engine.ts';
import { literal } from '../../quote.ts';
import { csvLine } from '../../write-csv.ts';
import { cell } from './cells.ts';
import { columnsOf } from './rows.ts';

interface SaveLimits {
  maxRows: number;
  /** The approximate maximum size of the file. */
  maxBytes: number;
}

interface Target extends SaveLimits {
  file: string;
}

export async function saveCsv(statement: DuckDBPreparedStatement, target: Target): Promise<Saved> {
  const result = await statement.stream();
  const types = result.columnTypes();
  const descriptor = openSync(target.file, 'wx', 0o600);
  let [rows, bytes] = [0, 0];
  const write = (text: string) => {
    bytes += Buffer.byteLength(text);
    writeSync(descriptor, text);
  };
  try {
    write(csvLine(columnsOf(result).map(({ name }) => name)));
    for await (const chunk of result) {
      const vectors = types.map((type, index) => [chunk.getColumnVector(index), type] as const);
      for (let row = 0; row < chunk.rowCount; row++) {
        const cut = cutAt(rows, bytes, target);
        if (cut) return { rows, cuts: [cut] };
        write(csvLine(vectors.map(([vector, type]) => cell(vector.getItem(row), type, WHOLE))));
        rows++;
      }
    }
    return { rows, cuts: [] };
  } finally {
    closeSync(descriptor);
  }
}

const WHOLE = { size: Number.POSITIVE_INFINITY };

function cutAt(rows: number, bytes: number, { maxRows, maxBytes }: SaveLimits): Cut | undefined {
  if (rows === maxRows) return { limit: 'rows', at: maxRows };
  return bytes >= maxBytes ? { limit: 'bytes', at: maxBytes } : undefined;
}

// The files of the second database are in the process's own folder, which is deleted with the process.
const SPOOL = 'spool.duckdb';
const SPOOL_OPTIONS = {
  ...{ threads: '2', memory_limit: '128MB', temp_directory: '' },
  ...{ autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' },
};

/**
 * DuckDB needs access to files to write Parquet, which the database of the statement must not have. So the rows are copied to a
 * second database, which only runs the service's own statements.
 */
export async function saveParquet(statement: DuckDBPreparedStatement, target: Target): Promise<Saved> {
  const result = await statement.stream();
  const spool = join(process.cwd(), SPOOL);
  const instance = await DuckDBInstance.create(spool, SPOOL_OPTIONS);
  const connection = await instance.connect();
  try {
    await connection.run(`CREATE TABLE saved (${columnList(result)})`);
    const cut = await append(result, { connection, spool, target });
    const rows = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER FROM (SELECT 1 FROM saved LIMIT ${target.maxRows})`,
    );
    await connection.run(
      `COPY (SELECT * FROM saved LIMIT ${target.maxRows}) TO ${literal(target.file)} (FORMAT parquet)`,
    );
    return { rows: Number(rows.getRows()[0]?.[0]), cuts: cut ? [cut] : [] };
  } finally {
    connection.closeSync();
    instance.closeSync();
    for (const name of [spool, `${spool}.wal`])
      await Bun.file(name)
        .delete()
        .catch(() => {});
  }
}

function columnList(result: DuckDBResult): string {
  const names = columnsOf(result).map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  return names.map((name, index) => `${name} ${result.columnType(index)}`).join(', ');
}

interface Spool {
  connection: Awaited<ReturnType<DuckDBInstance['connect']>>;
  spool: string;
  target: Target;
}

/** Stops after the chunk that reaches a limit. Its surplus rows are dropped at the end. */
async function append(result: DuckDBResult, { connection, spool, target }: Spool): Promise<Cut | undefined> {
  const appender = await connection.createAppender('saved');
  let rows = 0;
  try {
    for await (const chunk of result) {
      appender.appendDataChunk(chunk);
      rows += chunk.rowCount;
      if (rows > target.maxRows) return { limit: 'rows', at: target.maxRows };
      appender.flushSync();
      if (sizeOf(spool) + sizeOf(`${spool}.wal`) > target.maxBytes)
        return { limit: 'bytes', at: target.maxBytes };
    }
    return undefined;
  } finally {
    appender.closeSync();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** SQL Server through the package `mssql`, which is imported at first use. It has not been tested with a real server. */
import { SkeinError } from '../../../state/errors.ts';
import type { Column, SqlCell } from '../engine.ts';
import { cell, type Kind } from './cells.ts';
import { MSSQL } from './guard/mssql-syntax.ts';
import { listingOf } from './listing.ts';
import { LIST } from './mssql-list.ts';
import { importMssql, type MssqlPool, type MssqlResult } from './mssql-package.ts';
import { type Answer, type CloudDriver, cellSize, type Selection, type Session } from './session.ts';
import type { Target } from './target.ts';

export const mssql: CloudDriver = { syntax: MSSQL, open: openMssql };

const ASSUMED_COLUMNS = 20;

function openMssql(target: Target): Session {
  let pool: MssqlPool | undefined;
  let seconds = 5;

  async function run(text: string): Promise<MssqlResult> {
    if (!pool) throw new SkeinError('DATABASE_CONNECTION_FAILED');
    const request = pool.request();
    request.arrayRowMode = true;
    return request.query(text);
  }

  async function select(selection: Selection): Promise<Answer> {
    const { text, limit } = selection;
    // The number of columns is not known yet.
    const size = cellSize(selection, ASSUMED_COLUMNS);
    // A single batch, so that the limits only apply to it. SQL Server has no read-only transactions, so the transaction is
    // rolled back.
    const result = await run(
      `SET ROWCOUNT ${limit.count}; SET TEXTSIZE ${size * 4}; SET LOCK_TIMEOUT ${seconds * 1000};
       BEGIN TRANSACTION; ${withLimit(selection, text)}; ROLLBACK TRANSACTION`,
    );
    const columns = columnsOf(result);
    const rows = (result.recordset ?? []).map((row) =>
      row.map((value, index) => cellOf(value, columns[index]?.type ?? '', size)),
    );
    return { columns, rows };
  }

  return {
    async begin(ms) {
      seconds = ms / 1000;
      pool ??= await (await importMssql()).connect(target, ms);
    },
    async list() {
      const { recordset = [] } = await run(LIST);
      return listingOf(recordset.map((row) => row.map((value) => (value === null ? null : String(value)))));
    },
    async describe(selection) {
      return columnsOf(await run(`SET FMTONLY ON; ${withLimit(selection, selection.text)}; SET FMTONLY OFF`));
    },
    select,
    bounded: (text, rows) => text.replace(/^SELECT /, `SELECT TOP (${rows}) `),
    async rollback() {},
    stop() {
      void pool?.close().catch(() => {});
      pool = undefined;
    },
  };
}

/** OFFSET requires an ORDER BY, which statements with such a limit have. */
function withLimit({ limit }: Selection, text: string): string {
  return limit.offset > 0 ? `${text} OFFSET ${limit.offset} ROWS FETCH NEXT ${limit.count} ROWS ONLY` : text;
}

function columnsOf({ columns }: MssqlResult): Column[] {
  return (columns[0] ?? []).map(({ name, type }) => ({ name, type: type?.declaration ?? '' }));
}

const KINDS: Record<string, Kind> = {
  bigint: 'integer',
  decimal: 'decimal',
  numeric: 'decimal',
  money: 'decimal',
};

function cellOf(value: unknown, type: string, size: number): SqlCell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return type === 'date' ? value.toISOString().slice(0, 10) : value.toISOString();
  if (value instanceof Uint8Array) return cell(`\\x${Buffer.from(value).toString('hex')}`, 'text', size);
  return cell(String(value), KINDS[type] ?? 'text', size);
}

/** PostgreSQL through Bun's client. */
import type { Column } from '../engine.ts';
import { openBunClient, type RawRow, type RawRows } from './bun-client.ts';
import { cell, type Kind } from './cells.ts';
import { POSTGRES } from './guard/postgres-syntax.ts';
import { listingOf } from './listing.ts';
import { LIST } from './postgres-list.ts';
import { type Answer, type CloudDriver, cellSize, type Selection, type Session } from './session.ts';

export const postgres: CloudDriver = {
  syntax: POSTGRES,
  open: (target) => openPostgres(openBunClient(target, 'postgres')),
};

// Overrides settings of the login or the database on which the guard and the cells depend.
const SETTINGS = `SET LOCAL standard_conforming_strings = on; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1;`;

function openPostgres(client: ReturnType<typeof openBunClient>): Session {
  // Type names by OID.
  const types = new Map<number, string>();

  async function columnsOf({ columns }: RawRows): Promise<Column[]> {
    const unknown = columns.map(({ type }) => type).filter((type) => !types.has(type));
    if (unknown.length > 0) {
      const { rows } = await client.simple(
        `SELECT t, pg_catalog.format_type(t, NULL) FROM pg_catalog.unnest('{${unknown.join()}}'::oid[]) AS t`,
      );
      for (const [type, name] of rows.map(textsOf)) types.set(Number(type), name ?? '');
    }
    return columns.map(({ name, type }) => ({ name, type: types.get(type) ?? '' }));
  }

  async function describe({ text, limit }: Selection): Promise<Column[]> {
    return columnsOf(await client.prepared(`${text} LIMIT $1 OFFSET ${limit.offset}`, [0]));
  }

  async function select(selection: Selection): Promise<Answer> {
    const columns = await describe(selection);
    const { text, limit } = selection;
    const size = cellSize(selection, columns.length);
    const names = columns.map((_, index) => `c${index}`);
    // Let the server truncate cells, because a cell may have a gigabyte.
    const cells = columns.map(
      ({ type }, index) => `pg_catalog.left(${textual(`c${index}`, type)}, ${size + 1})`,
    );
    const { rows } = await client.prepared(
      `WITH skein (${names}) AS (${text} LIMIT $1 OFFSET ${limit.offset}) SELECT ${cells} FROM skein`,
      [limit.count],
    );
    const kinds = columns.map(({ type }) => kindOf(type));
    return { columns, rows: rows.map((row) => cellsOf(row, kinds, size)) };
  }

  return {
    async begin(ms) {
      // Ends what an aborted query has left open.
      await client.simple(
        `ROLLBACK; BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${Math.ceil(ms)}; ${SETTINGS}`,
      );
    },
    async list() {
      return listingOf((await client.simple(LIST)).rows.map(textsOf));
    },
    describe,
    select,
    bounded: (text, rows) => `${text} LIMIT ${rows}`,
    async rollback() {
      await client.simple('ROLLBACK');
    },
    stop() {
      client.cancel();
      client.close();
    },
  };
}

function cellsOf(row: RawRow, kinds: Kind[], size: number) {
  return textsOf(row).map((text, index) => cell(text, kinds[index] ?? 'text', size));
}

function textsOf(row: RawRow): (string | null)[] {
  return row.map((value) => (value === null ? null : value.toString('utf8')));
}

/** Lists and rows are selected as JSON, and other values as text. */
function textual(name: string, type: string): string {
  return kindOf(type) === 'list' ? `pg_catalog.to_jsonb(${name})::text` : `${name}::text`;
}

const KINDS: Record<string, Kind> = {
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'decimal',
  real: 'float',
  'double precision': 'float',
  boolean: 'boolean',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'zoned',
  record: 'list',
};

function kindOf(type: string): Kind {
  return type.endsWith('[]') ? 'list' : (KINDS[type] ?? 'text');
}

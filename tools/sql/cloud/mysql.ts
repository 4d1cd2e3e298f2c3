/** MySQL and MariaDB through Bun's client. */
import type { Column } from '../engine.ts';
import { openBunClient, type RawColumn, type RawRow } from './bun-client.ts';
import { cell } from './cells.ts';
import { MYSQL } from './guard/mysql-syntax.ts';
import { listingOf, MAX_COLUMNS, MAX_TABLES } from './listing.ts';
import { mysqlType } from './mysql-types.ts';
import { type Answer, type CloudDriver, cellSize, type Selection, type Session } from './session.ts';
import type { Target } from './target.ts';

export const mysql: CloudDriver = { syntax: MYSQL, open: openMysql };

const MODE = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

function openMysql(target: Target): Session {
  const client = openBunClient(target, 'mysql');
  let server: { isMariaDb: boolean; connection: string } | undefined;

  async function greet() {
    const { rows } = await client.simple('SELECT VERSION(), CONNECTION_ID()');
    const [version, connection] = textsOf(rows[0] ?? []);
    return { isMariaDb: /mariadb/i.test(version ?? ''), connection: connection ?? '' };
  }

  async function describe({ text, limit }: Selection): Promise<Column[]> {
    return (await describeRaw(text, limit.offset)).map(columnOf);
  }

  async function describeRaw(text: string, offset: number): Promise<RawColumn[]> {
    return (await client.simple(oneStatement(`${text} LIMIT ${offset}, 0`))).columns;
  }

  async function select(selection: Selection): Promise<Answer> {
    const { text, limit } = selection;
    const columns = await describeRaw(text, limit.offset);
    const size = cellSize(selection, columns.length);
    const limited = `${text} LIMIT ${limit.offset}, ${limit.count}`;
    const { rows } = await client.simple(oneStatement(bounded(limited, columns, size)));
    return { columns: columns.map(columnOf), rows: rows.map((row) => cellsOf(row, columns, size)) };
  }

  return {
    async begin(ms) {
      server ??= await greet();
      const bound = server.isMariaDb
        ? `max_statement_time = ${ms / 1000}`
        : `max_execution_time = ${Math.ceil(ms)}`;
      await client.simple(
        `ROLLBACK; SET SESSION ${bound}, sql_mode = '${MODE}', time_zone = '+00:00'; START TRANSACTION READ ONLY`,
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
      client.close();
      if (server) void kill(target, server.connection);
    },
  };
}

/** Ends a connection on the server, which would otherwise continue a statement after its client has disconnected. */
async function kill(target: Target, connection: string): Promise<void> {
  const client = openBunClient(target, 'mysql');
  try {
    await client.simple(`KILL CONNECTION ${Number(connection)}`);
  } catch {
    // The connection has already ended, or the server is down. The server's own timeout still applies.
  } finally {
    client.close();
  }
}

/** Uses PREPARE, because it rejects several statements, which the connection itself would accept. */
function oneStatement(text: string): string {
  const bytes = Buffer.from(text).toString('hex');
  return `SET @skein = CONVERT(x'${bytes}' USING utf8mb4); PREPARE skein FROM @skein; EXECUTE skein`;
}

/** Lets the server truncate cells, because a cell may have a gigabyte. */
function bounded(limited: string, columns: RawColumn[], size: number): string {
  const names = columns.map(({ name }) => name.toLowerCase());
  const cells = (own: string[]) =>
    columns.map((column, index) => boundedCell(own[index] ?? '', column, size));
  if (new Set(names).size === names.length) {
    const own = columns.map(({ name }) => MYSQL.writeName(name));
    return `SELECT ${cells(own)} FROM (${limited}) AS skein`;
  }
  // Only this form allows two columns with the same name, but MariaDB applies the ORDER BY of a UNION to the new names.
  const own = columns.map((_, index) => `c${index}`);
  return `WITH skein (${own}) AS (${limited}) SELECT ${cells(own)} FROM skein`;
}

function boundedCell(name: string, column: RawColumn, size: number): string {
  if (!mysqlType(column).long) return name;
  const bytes = `CONCAT('\\\\x', LOWER(HEX(LEFT(${name}, ${Math.ceil(size / 2)}))))`;
  return `IF(CHARSET(${name}) = 'binary', ${bytes}, LEFT(${name}, ${size + 1}))`;
}

function columnOf(column: RawColumn): Column {
  return { name: column.name, type: mysqlType(column).name };
}

function cellsOf(row: RawRow, columns: RawColumn[], size: number) {
  return textsOf(row).map((text, index) => {
    const column = columns[index];
    return cell(text, column ? mysqlType(column).kind : 'text', size);
  });
}

function textsOf(row: RawRow): (string | null)[] {
  return row.map((value) => (value === null ? null : value.toString('utf8')));
}

/** Returns a row per column: NULL, database, table, estimated rows, column, type. */
const LIST = `
  SELECT NULL, DATABASE(), t.TABLE_NAME, t.TABLE_ROWS, c.COLUMN_NAME, c.COLUMN_TYPE
  FROM (
    SELECT TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
    ORDER BY TABLE_NAME LIMIT ${MAX_TABLES}
  ) t
  JOIN information_schema.COLUMNS c ON c.TABLE_SCHEMA = DATABASE() AND c.TABLE_NAME = t.TABLE_NAME
  ORDER BY t.TABLE_NAME, c.ORDINAL_POSITION LIMIT ${MAX_TABLES * MAX_COLUMNS}`;

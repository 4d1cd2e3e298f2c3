/**
 * The tables of a server, cached for a minute: names for the guard, and columns, row counts and sample values for writing SQL.
 */
import { type SqlCell, SqlError, type Table } from '../engine.ts';
import type { Connections } from './connections.ts';
import type { Catalog } from './guard/parse.ts';
import type { Syntax } from './guard/syntax.ts';
import type { Answer, ListedTable, Session } from './session.ts';

export interface Schema {
  catalog: Catalog;
  tables: Table[];
}

const FRESH_MS = 60_000;
const LIST_SECONDS = 10;
// A slow view gets no samples.
const SAMPLE_SECONDS = 1;
const ALL_SAMPLES_MS = 15_000;
// Samples come from the first rows, because a table may be large.
const SAMPLED_ROWS = 200;
const COUNTED_ROWS = 10_000;
const SAMPLES = 3;
const SAMPLE_SIZE = 60;

export function openSchema(
  connections: Connections,
  syntax: Syntax,
): { read(signal?: AbortSignal): Promise<Schema> } {
  let cached: { schema: Promise<Schema>; until: number } | undefined;

  async function load(): Promise<Schema> {
    const listing = await connections.use((session) => session.list(), { seconds: LIST_SECONDS });
    const deadline = performance.now() + ALL_SAMPLES_MS;
    const tables: Table[] = [];
    for (const listed of listing.tables) {
      const read = (session: Session) => readTable(session, [...listing.path, listed.name], listed);
      const late = performance.now() > deadline;
      tables.push(late ? bare(listed) : await sampled(read, listed));
    }
    const columns = new Set(listing.tables.flatMap((table) => table.columns.map(({ name }) => name)));
    return { tables, catalog: { path: listing.path, tables: tables.map(({ name }) => name), columns } };
  }

  async function sampled(read: (session: Session) => Promise<Table>, listed: ListedTable): Promise<Table> {
    try {
      return await connections.use(read, { seconds: SAMPLE_SECONDS });
    } catch (error) {
      if (error instanceof SqlError) return bare(listed);
      throw error;
    }
  }

  async function readTable(session: Session, path: string[], listed: ListedTable): Promise<Table> {
    const from = path.map(syntax.writeName).join('.');
    const names = listed.columns.map(({ name }) => syntax.writeName(name));
    const text = `SELECT ${names.join(', ')} FROM ${from}`;
    const limit = { count: SAMPLED_ROWS, offset: 0 };
    const first = await session.select({ text, limit, size: SAMPLE_SIZE });
    const rows = listed.rows ?? (await counted(session, from));
    const columns = listed.columns.map((column, index) => ({ ...column, samples: samplesOf(first, index) }));
    return { name: listed.name, columns, rows };
  }

  /** Counts rows exactly, up to a limit. Used if the server has no estimate. */
  async function counted(session: Session, from: string): Promise<number> {
    const inner = session.bounded(`SELECT 1 AS n FROM ${from}`, COUNTED_ROWS);
    const text = `SELECT COUNT(*) AS n FROM (${inner}) AS skein_rows`;
    const { rows } = await session.select({ text, limit: { count: 1, offset: 0 }, size: SAMPLE_SIZE });
    return Number(rows[0]?.[0] ?? 0);
  }

  /** Returns the cached schema, or loads it. Failures are not cached. */
  function fresh(): Promise<Schema> {
    if (cached && performance.now() < cached.until) return cached.schema;
    const schema = load();
    const mine = { schema, until: performance.now() + FRESH_MS };
    cached = mine;
    schema.catch(() => {
      if (cached === mine) cached = undefined;
    });
    return schema;
  }

  return { read: (signal) => orAborted(fresh(), signal) };
}

function bare({ name, columns, rows }: ListedTable): Table {
  return { name, rows: rows ?? 0, columns: columns.map((column) => ({ ...column, samples: [] })) };
}

function samplesOf({ rows }: Answer, index: number): SqlCell[] {
  const samples = new Map<string, SqlCell>();
  for (const row of rows) {
    const value = row[index] ?? null;
    if (value !== null) samples.set(JSON.stringify(value), value);
    if (samples.size === SAMPLES) break;
  }
  return [...samples.values()];
}

/** Rejects when the signal aborts. The work continues, because other callers may wait for the same result. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

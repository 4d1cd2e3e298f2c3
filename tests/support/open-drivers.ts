/** All drivers of `state/`, each on a new database, for contract suites. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenedState } from '../../state/opened-state.ts';
import { type Database, openDatabase } from '../../state/postgres/database/database.ts';
import { migrate } from '../../state/postgres/database/migrate.ts';
import { openSqlite } from '../../state/sqlite/open.ts';
import { freshDatabase, POSTGRES } from './postgres-database.ts';

interface Opened<Stores> {
  stores: Stores;
  /** Closes and reopens the state. */
  reopen(): Promise<Stores>;
  close(): Promise<void>;
}

/** The interface of a driver for a suite. */
export interface StoresOf<Stores> {
  sqlite(state: OpenedState): Stores;
  postgres(database: Database): Stores;
}

export interface Driver<Stores> {
  name: 'SQLite' | 'PostgreSQL';
  skip: boolean;
  open(): Promise<Opened<Stores>>;
}

export function drivers<Stores>({ sqlite, postgres }: StoresOf<Stores>): Driver<Stores>[] {
  return [
    { name: 'SQLite', skip: false, open: () => openOnSqlite(sqlite) },
    { name: 'PostgreSQL', skip: POSTGRES === undefined, open: () => openOnPostgres(postgres) },
  ];
}

async function openOnSqlite<Stores>(of: StoresOf<Stores>['sqlite']): Promise<Opened<Stores>> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-driver-'));
  const open = () => openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  let state = open();
  return {
    stores: of(state),
    async reopen() {
      await state.close();
      state = open();
      return of(state);
    },
    async close() {
      await state.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openOnPostgres<Stores>(of: StoresOf<Stores>['postgres']): Promise<Opened<Stores>> {
  const { open, drop } = await postgresServers();
  let database = open();
  return {
    stores: of(database),
    async reopen() {
      await database.close();
      database = open();
      return of(database);
    },
    close: drop,
  };
}

export interface PostgresServers {
  /** Connects as one server. */
  open(): Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

/** An empty migrated database, which several servers can open. */
export async function postgresServers(): Promise<PostgresServers> {
  const { url, drop } = await freshDatabase();
  const opened: Database[] = [];
  function open(): Database {
    const database = openDatabase({ url, size: 4, timeoutMs: 10_000 });
    opened.push(database);
    return database;
  }
  await migrate(open());
  return {
    open,
    async drop() {
      await Promise.all(opened.map((database) => database.close()));
      await drop();
    },
  };
}

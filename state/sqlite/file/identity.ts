/** Determines which program a SQLite file belongs to, without writing to it. */
import { constants, Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { APPLICATION_ID, MIGRATIONS, newerSchema } from './schema.ts';

/** Tables that identify files of versions that did not set the application id. */
const OUR_TABLES = [
  ...['threads', 'runs', 'messages', 'events', 'feedback', 'idempotency'],
  ...['checkpoints', 'checkpoint_values'],
];

export interface Identity {
  applicationId: number;
  version: number;
  tables: string[];
}

/** Why the service cannot use the file; undefined if it can, or if the file is missing or empty. Throws if it is damaged. */
export function stateFileRefusal(path: string): string | undefined {
  return sizeOf(path) === 0 ? undefined : withReader(path, (db) => refusalOf(identityOf(db)));
}

/** Whether the file is a database of another program. False for a damaged file. */
export function isForeignFile(path: string): boolean {
  try {
    return sizeOf(path) > 0 && withReader(path, (db) => isForeign(identityOf(db)));
  } catch {
    return false;
  }
}

export function identityOf(db: Database): Identity {
  const numberOf = (pragma: string) =>
    Number(Object.values(db.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get() ?? {})[0]);
  const tables = db.query<{ name: string }, []>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  );
  return {
    applicationId: numberOf('application_id'),
    version: numberOf('user_version'),
    tables: tables.all().map(({ name }) => name),
  };
}

/** Undefined for a state file, and for a database without application id and tables. */
function refusalOf(identity: Identity): string | undefined {
  if (isForeign(identity))
    return 'the file is a database of another program. It was not changed. Choose another file, or move this one away';
  return identity.version > MIGRATIONS.length ? newerSchema(identity.version) : undefined;
}

export function isForeign({ applicationId, version, tables }: Identity): boolean {
  return applicationId !== APPLICATION_ID && (applicationId !== 0 || !isAdopted(version, tables));
}

function isAdopted(version: number, tables: string[]): boolean {
  return tables.length === 0 || (version > 0 && OUR_TABLES.every((name) => tables.includes(name)));
}

/** Opens a file without WAL as immutable, because otherwise even a reader would create the files of a WAL. */
function withReader<T>(path: string, read: (db: Database) => T): T {
  const hasLog = sizeOf(`${path}-wal`) > 0;
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const db = new Database(`${pathToFileURL(path)}${hasLog ? '' : '?immutable=1'}`, flags);
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Connects to the database at the start: waits for it, and migrates its tables. */
import { configurationError, isUnavailable, type SkeinError } from '../../errors.ts';
import { type Database, type DatabaseOptions, openDatabase } from './database.ts';
import { stateError, Unheard } from './failures.ts';
import { type Migrated, migrate } from './migrate.ts';

/** How long to retry an unreachable database. */
const START_MS = 15_000;
const RETRY_MS = 250;
const FIELD = 'chat_history.connection_string';

export interface OpenMigratedOptions extends DatabaseOptions {
  /** Called after a migration. */
  migrated?: ((versions: Migrated) => void) | undefined;
}

/** Throws CONFIGURATION_ERROR: at once if the server rejects the connection, otherwise after 15 s. */
export async function openMigrated({ migrated, ...options }: OpenMigratedOptions): Promise<Database> {
  const database = openDatabase(options);
  try {
    const versions = await broughtUpToDate(database, Date.now() + START_MS);
    if (versions) migrated?.(versions);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function broughtUpToDate(database: Database, until: number): Promise<Migrated | undefined> {
  for (;;) {
    const { versions, failure } = await migrateWithin(database, until - Date.now());
    if (failure === undefined) return versions;
    // A server that starts, stops or has no connection left says so, and a network may recover.
    if (!isUnavailable(failure)) throw refused(failure);
    if (Date.now() + RETRY_MS > until) throw refused(failure, START_MS / 1000);
    await Bun.sleep(RETRY_MS);
  }
}

interface Attempt {
  versions?: Migrated | undefined;
  failure?: unknown;
}

/** Returns why it failed. A server that accepts connections but is silent must not delay the start further. */
async function migrateWithin(database: Database, milliseconds: number): Promise<Attempt> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Attempt>((resolve) => {
    timer = setTimeout(() => resolve({ failure: stateError(new Unheard()) }), milliseconds);
  });
  const migrated = migrate(database).then(
    (versions): Attempt => ({ versions }),
    (failure: unknown): Attempt => ({ failure }),
  );
  return Promise.race([migrated, late]).finally(() => clearTimeout(timer));
}

/** Why a start on the database fails, as the error's message. */
export function refused(error: unknown, triedSeconds?: number): SkeinError {
  const tried = triedSeconds === undefined ? '' : ` (tried for ${triedSeconds} s)`;
  return configurationError(FIELD, `${refusalOf(error)}${tried}`);
}

/** Why it is unusable. */
export const refusalOf = (error: unknown): string => sentenceOf(causeOf(error));

function causeOf(error: unknown): { code?: string; errno?: unknown; message: string } {
  const cause = isUnavailable(error) ? (error as Error).cause : error;
  if (cause instanceof Unheard) return { code: cause.name, message: 'it does not answer' };
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** SQLSTATE classes: 28 authorization, 3D000 no such database, 42501 privileges. PostgreSQL's own words have no password. */
function sentenceOf({ code = '', errno, message }: ReturnType<typeof causeOf>): string {
  const [said = ''] = message.split('\n');
  const state = code === 'ERR_POSTGRES_SERVER_ERROR' ? String(errno) : '';
  if (state === '28P01') return 'the server rejected the user or the password';
  if (state.startsWith('28')) return `the server rejected the user: ${said}`;
  if (state === '3D000') return `the database does not exist: ${said}`;
  if (state === '42501') return `the user may not create the schema "skein" or use its tables: ${said}`;
  if (code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')
    return 'the server does not support TLS, and sslmode in the URL requires it';
  if (/TLS|CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS connection failed: ${said}`;
  if (/PASSWORD|AUTH|SASL|SCRAM/.test(code)) return `the server rejected the user or the password: ${said}`;
  if (state !== '' || code === '') return `the database is unusable: ${said}`;
  return `the database is unreachable: ${said}`;
}

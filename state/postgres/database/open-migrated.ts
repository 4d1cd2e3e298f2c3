/** Connects to the database at startup: waits until it is reachable, and migrates the schema. */
import { configurationError, isUnavailable, type SkeinError } from '../../errors.ts';
import { type Database, type DatabaseOptions, openDatabase } from './database.ts';
import { ResponseTimeout, stateError } from './failures.ts';
import { type Migrated, migrate } from './migrate.ts';

/** How long to retry an unreachable database. */
const START_MS = 15_000;
const RETRY_MS = 250;
const FIELD = 'chat_history.connection_string';

export interface OpenMigratedOptions extends DatabaseOptions {
  /** Called after a migration. */
  migrated?: ((versions: Migrated) => void) | undefined;
}

/** Throws CONFIGURATION_ERROR: immediately if the server rejects the connection, or after 15 s if it is unreachable. */
export async function openMigrated({ migrated, ...options }: OpenMigratedOptions): Promise<Database> {
  const database = openDatabase(options);
  try {
    const versions = await migrateWhenReachable(database, Date.now() + START_MS);
    if (versions) migrated?.(versions);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function migrateWhenReachable(database: Database, until: number): Promise<Migrated | undefined> {
  for (;;) {
    const { versions, failure } = await migrateWithin(database, until - Date.now());
    if (failure === undefined) return versions;
    // Retry while the server is starting, stopping or out of connections, and on network errors.
    if (!isUnavailable(failure)) throw refused(failure);
    if (Date.now() + RETRY_MS > until) throw refused(failure, START_MS / 1000);
    await Bun.sleep(RETRY_MS);
  }
}

interface Attempt {
  versions?: Migrated | undefined;
  failure?: unknown;
}

/** Limits the time of an attempt, because a server may accept connections without responding. */
async function migrateWithin(database: Database, milliseconds: number): Promise<Attempt> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Attempt>((resolve) => {
    timer = setTimeout(() => resolve({ failure: stateError(new ResponseTimeout()) }), milliseconds);
  });
  const migrated = migrate(database).then(
    (versions): Attempt => ({ versions }),
    (failure: unknown): Attempt => ({ failure }),
  );
  return Promise.race([migrated, late]).finally(() => clearTimeout(timer));
}

/** CONFIGURATION_ERROR that says why the database cannot be used. */
export function refused(error: unknown, triedSeconds?: number): SkeinError {
  const tried = triedSeconds === undefined ? '' : ` (tried for ${triedSeconds} s)`;
  return configurationError(FIELD, `${refusalOf(error)}${tried}`);
}

/** The message of an error at startup. */
export const refusalOf = (error: unknown): string => sentenceOf(causeOf(error));

function causeOf(error: unknown): { code?: string; errno?: unknown; message: string } {
  const cause = isUnavailable(error) ? (error as Error).cause : error;
  if (cause instanceof ResponseTimeout) return { code: cause.name, message: 'it does not answer' };
  return cause instanceof Error ? cause : new Error(String(cause));
}

/**
 * SQLSTATE: class 28 is authorization, 3D000 an unknown database, 42501 missing privileges. PostgreSQL's messages don't contain
 * the password.
 */
function sentenceOf({ code = '', errno, message }: ReturnType<typeof causeOf>): string {
  const [text = ''] = message.split('\n');
  const state = code === 'ERR_POSTGRES_SERVER_ERROR' ? String(errno) : '';
  if (state === '28P01') return 'the server rejected the user or the password';
  if (state.startsWith('28')) return `the server rejected the user: ${text}`;
  if (state === '3D000') return `the database does not exist: ${text}`;
  if (state === '42501') return `the user may not create the schema "skein" or use its tables: ${text}`;
  if (code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')
    return 'the server does not support TLS, and sslmode in the URL requires it';
  if (/TLS|CERT|SELF_SIGNED|UNABLE_TO/.test(code)) return `the TLS connection failed: ${text}`;
  if (/PASSWORD|AUTH|SASL|SCRAM/.test(code)) return `the server rejected the user or the password: ${text}`;
  if (state !== '' || code === '') return `the database cannot be used: ${text}`;
  return `the database is unreachable: ${text}`;
}

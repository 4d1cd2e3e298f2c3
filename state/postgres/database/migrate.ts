/** Migrates the database to this version's schema, one process at a time. */
import type { Database } from './database.ts';
import { LOCKS } from './locks.ts';
import { MIGRATIONS } from './schema.ts';

/** The number of newer schema versions with which this release works, so that servers can be replaced one by one. */
const COMPATIBLE = 1;
const OLDEST_SERVER = 14;

export interface Migrated {
  from: number;
  to: number;
}

/**
 * Returns undefined if the schema has this version or a compatible newer one. Throws without changes if this release cannot
 * work with the schema.
 */
export async function migrate(
  database: Database,
  migrations: readonly string[] = MIGRATIONS,
): Promise<Migrated | undefined> {
  const server = await database.get<{ version: string }>(
    "SELECT current_setting('server_version_num') AS version",
  );
  assertServer(Number(server?.version));
  return database.transaction(async (tx) => {
    await tx.run(`SELECT pg_advisory_xact_lock(${LOCKS.migration})`);
    await tx.run('CREATE SCHEMA IF NOT EXISTS skein');
    await tx.run(
      'CREATE TABLE IF NOT EXISTS skein.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL)',
    );
    const row = await tx.get<{ version: number | null }>(
      'SELECT max(version) AS version FROM skein.migrations',
    );
    const version = row?.version ?? 0;
    assertKnown(version, migrations);
    for (const [index, text] of migrations.entries()) {
      if (index < version) continue;
      await tx.run(text);
      await tx.run('INSERT INTO skein.migrations (version, at) VALUES ($1, clock_timestamp())', index + 1);
    }
    const to = migrations.length;
    return version < to ? { from: version, to } : undefined;
  });
}

/** Throws if this release cannot work with the schema version. */
export function assertKnown(version: number, migrations: readonly string[] = MIGRATIONS): void {
  if (version <= migrations.length + COMPATIBLE) return;
  throw new Error(
    `the database has schema version ${version}, but this version of Skein only supports ${migrations.length}. Upgrade Skein`,
  );
}

/** Throws if PostgreSQL is too old. `version` is its `server_version_num`: 140011 is 14.11. */
export function assertServer(version: number): void {
  if (version >= OLDEST_SERVER * 10_000) return;
  const name = `${Math.floor(version / 10_000)}.${version % 10_000}`;
  throw new Error(`PostgreSQL ${OLDEST_SERVER} or newer is required, but the server is ${name}`);
}

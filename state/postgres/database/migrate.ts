/** Brings the database to this version's tables, one process at a time. */
import type { Database } from './database.ts';
import { LOCKS } from './locks.ts';
import { MIGRATIONS } from './schema.ts';

/** Releases before and after this one work with its tables, so that servers can be replaced one after another. */
const COMPATIBLE = 1;

/** Throws if the tables are of a version with which this one cannot work; then nothing is changed. */
export async function migrate(database: Database, migrations: readonly string[] = MIGRATIONS): Promise<void> {
  await database.transaction(async (tx) => {
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
  });
}

/** Throws if the tables are of a version with which this one cannot work. */
export function assertKnown(version: number, migrations: readonly string[] = MIGRATIONS): void {
  if (version <= migrations.length + COMPATIBLE) return;
  throw new Error(
    `the database has schema version ${version} and this version knows ${migrations.length}: use a newer skein`,
  );
}

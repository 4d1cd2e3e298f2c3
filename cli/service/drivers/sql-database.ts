/** Opens the configured SQL database. */
import type { LoadedSettings } from '../../../settings/load.ts';
import { openSqlDatabase, type SqlDatabase } from '../../../tools/sql/open.ts';

export function configuredSqlDatabase(loaded: LoadedSettings): SqlDatabase {
  const { local_sql_db, cloud_sql } = loaded.settings;
  return openSqlDatabase({
    path: local_sql_db.database_path,
    seeds: seedsSampleDatabase(loaded),
    cloud: cloud_sql,
  });
}

/** Sample data is created only if requested or if no path is set: never at a mistyped path. */
export function seedsSampleDatabase({ settings, sources }: LoadedSettings): boolean {
  return settings.local_sql_db.seed_samples ?? sources['local_sql_db.database_path'] === 'default';
}

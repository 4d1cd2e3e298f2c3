/** Optional packages that the settings need: a missing one fails the start, not the first use. */
import type { Settings } from '../../../settings/schema.ts';
import { SkeinError } from '../../../state/errors.ts';
import { importSearch } from '../../../tools/knowledge/cloud/search-package.ts';
import { assertStoragePackages } from '../../../tools/knowledge/stores.ts';
import { importMssql } from '../../../tools/sql/cloud/mssql-package.ts';
import { targetOf } from '../../../tools/sql/cloud/target.ts';
import type { CloudSqlOptions } from '../../../tools/sql/options.ts';

type Asking = Pick<Settings, 'cloud_sql' | 'knowledge_base'>;

/** Throws CONFIGURATION_ERROR that names what to install. The prompt storage checks its own package when it opens. */
export async function assertPackages({ cloud_sql, knowledge_base }: Asking): Promise<void> {
  if (knowledge_base.mode === 'cloud') await importSearch();
  else await assertStoragePackages(knowledge_base);
  if (cloud_sql && cloud_sql.database_name !== 'skip' && isSqlServer(cloud_sql)) await importMssql();
}

/** Settings without a server are rejected by the workflow that needs one. */
function isSqlServer(options: CloudSqlOptions): boolean {
  try {
    return targetOf(options).dialect === 'mssql';
  } catch (error) {
    if (error instanceof SkeinError) return false;
    throw error;
  }
}

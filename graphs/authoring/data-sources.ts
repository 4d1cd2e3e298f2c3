/** The database and the knowledge base that tools of any graph ask, under the settings of the workflows that ask them. */
import type { SearchOptions } from '../../tools/knowledge/library.ts';
import type { OpenLibrary } from '../../tools/knowledge/open.ts';
import type { SqlLimits } from '../../tools/sql/limits.ts';
import type { OpenSql } from '../../tools/sql/open.ts';

export interface DataSources {
  /** Opens the configured SQL database, at its first use. Gives the same engine for the same limits. */
  openSql: OpenSql;
  /** Opens the configured knowledge base, at its first use. */
  openLibrary: OpenLibrary;
  /** What `workflows.sql-manipulation-agent` sets. */
  sqlRules: SqlLimits & { requireApproval: boolean };
  /** What `workflows.knowledge-base-agent` sets. */
  searchRules: Pick<SearchOptions, 'limit' | 'threshold'>;
}

/** The database, the knowledge base and the MCP servers that tools of any graph ask, under the settings of the workflows that ask them. */
import type { OpenLibrary, SearchOptions } from '../../tools/knowledge/library.ts';
import type { McpServers } from '../../tools/mcp/servers.ts';
import type { SqlLimits } from '../../tools/sql/limits.ts';
import type { OpenSql } from '../../tools/sql/open.ts';

export interface DataSources {
  /** Opens the configured SQL database, at its first use. Gives the same engine for the same limits. */
  openSql: OpenSql;
  /** Opens the configured knowledge base, at its first use. */
  openLibrary: OpenLibrary;
  /** The configured MCP servers, each started at its first use. */
  mcp: Pick<McpServers, 'tools' | 'call'>;
  /** What `workflows.sql-manipulation-agent` sets. */
  sqlRules: SqlLimits & { requireApproval: boolean };
  /** The same for a download of all rows. */
  downloadRules: SqlLimits;
  /** What `workflows.knowledge-base-agent` sets. */
  searchRules: Pick<SearchOptions, 'limit' | 'threshold'>;
}

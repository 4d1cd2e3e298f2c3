/** The database, knowledge base and MCP servers for tools of any graph, with the settings of the workflows that use them. */
import type { OpenLibrary, SearchOptions } from '../../../tools/knowledge/library.ts';
import type { McpServers } from '../../../tools/mcp/servers.ts';
import type { SqlLimits } from '../../../tools/sql/limits.ts';
import type { OpenSql } from '../../../tools/sql/open.ts';

export interface DataSources {
  /** Opens the configured SQL database at first use. Returns the same engine for the same limits. */
  openSql: OpenSql;
  /** Opens the configured knowledge base at first use. */
  openLibrary: OpenLibrary;
  /** The configured MCP servers, each started at first use. */
  mcp: Pick<McpServers, 'tools' | 'call'>;
  /** The settings of `workflows.sql-manipulation-agent`. */
  sqlRules: SqlLimits & { requireApproval: boolean };
  /** The settings for a download of all rows. */
  downloadRules: SqlLimits;
  /** The settings of `workflows.knowledge-base-agent`. */
  searchRules: Pick<SearchOptions, 'limit' | 'threshold'>;
}

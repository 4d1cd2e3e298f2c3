/** The database, the knowledge base and the MCP servers for tools of any graph, with the rules that the core's workflows have for them. */
import type { Static, TObject } from '@sinclair/typebox';
import type { DataSources } from '../../graphs/authoring/data-sources.ts';
import { KnowledgeOptions } from '../../graphs/knowledge-base-agent/state.ts';
import { SqlOptions } from '../../graphs/sql-manipulation-agent/state.ts';
import { sharedSql } from './shared-sql.ts';
import { type WorkflowParts, workflowSettings } from './workflow-tools.ts';

interface Parts extends Pick<WorkflowParts, 'settings' | 'replaced' | 'sql' | 'knowledge'> {
  mcp: DataSources['mcp'];
}

/** Throws CONFIGURATION_ERROR, naming the field. */
export function dataSources({ settings, replaced, sql, knowledge, mcp }: Parts): DataSources {
  function settingsOf<T extends TObject>(name: string, options: T): Static<T> {
    // Those of a project's workflow that has taken the core one's place are not for this.
    const given = replaced.has(name) ? {} : settings[name];
    return workflowSettings({ options }, given, `workflows.${name}`);
  }
  const asked = settingsOf('sql-manipulation-agent', SqlOptions);
  const searched = settingsOf('knowledge-base-agent', KnowledgeOptions);
  return {
    openSql: sharedSql(sql.open),
    openLibrary: knowledge.open,
    mcp,
    sqlRules: {
      maxRows: asked.max_rows,
      querySeconds: asked.query_seconds,
      requireApproval: asked.require_approval,
    },
    downloadRules: { maxRows: asked.download_rows, querySeconds: asked.download_seconds },
    searchRules: { limit: searched.top_k, threshold: searched.threshold },
  };
}

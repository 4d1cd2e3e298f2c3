/** The data sources for tools of any graph: database, knowledge base and MCP servers, with the settings of the core's workflows. */
import type { Static, TObject } from '@sinclair/typebox';
import type { DataSources } from '../../graphs/authoring/run/data-sources.ts';
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
    // If a project's workflow replaces the core's, the settings of this name belong to that workflow.
    const given = replaced.has(name) ? {} : settings[name];
    return workflowSettings({ options }, given, `workflows.${name}`);
  }
  const sqlSettings = settingsOf('sql-manipulation-agent', SqlOptions);
  const knowledgeSettings = settingsOf('knowledge-base-agent', KnowledgeOptions);
  return {
    openSql: sharedSql(sql.open),
    openLibrary: knowledge.open,
    mcp,
    sqlRules: {
      maxRows: sqlSettings.max_rows,
      querySeconds: sqlSettings.query_seconds,
      requireApproval: sqlSettings.require_approval,
    },
    downloadRules: { maxRows: sqlSettings.download_rows, querySeconds: sqlSettings.download_seconds },
    searchRules: { limit: knowledgeSettings.top_k, threshold: knowledgeSettings.threshold },
  };
}

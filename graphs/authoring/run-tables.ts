/** Databases for tables that a run provides: one per run, shared by its agents, and deleted at its end. */

import type { OpenTables } from '../../tools/sql/duckdb/open-tables.ts';
import type { SqlEngine } from '../../tools/sql/engine.ts';
import type { SqlLimits } from '../../tools/sql/limits.ts';
import type { TableData } from '../../tools/sql/table-data.ts';
import type { AgentTools } from './agent/agent.ts';

/** Returns a function that returns the run's database, created at first use. */
export type RunTables = (
  tables: (tools: AgentTools) => TableData[],
  limits: SqlLimits,
) => (tools: AgentTools) => SqlEngine;

export function runTables(open: OpenTables): RunTables {
  return (tables, limits) => {
    const key = {};
    return (tools) => tools.opened(key, () => open(() => tables(tools), limits));
  };
}

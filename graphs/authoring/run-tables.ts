/** Databases of tables that a run brings: one for each run, shared by its agents, gone at its end. */

import type { OpenTables } from '../../tools/sql/duckdb/open-tables.ts';
import type { SqlEngine } from '../../tools/sql/engine.ts';
import type { SqlLimits } from '../../tools/sql/limits.ts';
import type { TableData } from '../../tools/sql/table-data.ts';
import type { AgentTools } from './agent.ts';

/** Gives the function that gives an agent its run's database, which is made at its first use. */
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

/** Rejects joins without an equality that would combine more rows than the time limit allows. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Refusal } from '../../refusal.ts';

// Two cores combine this many in about a second.
const MAX_COMBINATIONS = 100_000_000;

/**
 * Only asks DuckDB for its plan, which takes 1 ms, if a join has no equality. `sql` must have passed the guard's other rules.
 * The plan is an estimate, so the time limit ends the joins that this misses.
 */
export async function refusedCombinations(
  connection: DuckDBConnection,
  sql: string,
  tree: unknown,
): Promise<Refusal | undefined> {
  if (!hasOpenJoin(tree)) return undefined;
  const most = mostCombined(await planOf(connection, sql));
  if (most <= MAX_COMBINATIONS) return undefined;
  return {
    rule: 'too_many_combinations',
    reason: `A join combines about ${most.toExponential(0)} rows: join the tables on equal columns`,
  };
}

function hasOpenJoin(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const node = value as { type?: unknown; ref_type?: unknown; condition?: unknown };
  if (node.type === 'JOIN' && node.ref_type === 'CROSS') return true;
  if (node.type === 'JOIN' && node.condition && !JSON.stringify(node.condition).includes('"COMPARE_EQUAL"'))
    return true;
  return Object.values(value).some(hasOpenJoin);
}

interface PlanNode {
  name: string;
  children?: PlanNode[];
  extra_info?: Record<string, unknown>;
}

/** Empty if DuckDB cannot plan the statement. Running it reports why. */
async function planOf(connection: DuckDBConnection, sql: string): Promise<PlanNode[]> {
  try {
    const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql}`);
    return JSON.parse(String(reader.getRows()[0]?.[1])) as PlanNode[];
  } catch {
    return [];
  }
}

const COMBINING = new Set(['CROSS_PRODUCT', 'BLOCKWISE_NL_JOIN', 'NESTED_LOOP_JOIN']);

function mostCombined(nodes: PlanNode[]): number {
  return Math.max(0, ...nodes.map((node) => Math.max(combinations(node), mostCombined(node.children ?? []))));
}

/** The product of the numbers of rows on both sides. */
function combinations({ name, children = [] }: PlanNode): number {
  return COMBINING.has(name.trim()) ? children.reduce((product, child) => product * rowsOf(child), 1) : 0;
}

function rowsOf(node: PlanNode): number {
  const combined = combinations(node);
  if (combined > 0) return combined;
  const estimate = Number(node.extra_info?.['Estimated Cardinality']);
  if (Number.isFinite(estimate)) return estimate;
  return Math.max(1, ...(node.children ?? []).map(rowsOf));
}

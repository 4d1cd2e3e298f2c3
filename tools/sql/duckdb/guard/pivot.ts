/**
 * Adds the list of values to a PIVOT without one. Reads the values with a statement on the same sources, which the guard also
 * checks.
 */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Refusal } from '../../refusal.ts';
import type { Node } from '../catalog.ts';
import { MARK } from './pivot-text.ts';
import { deserialize, serialize } from './serialized.ts';

// Each value becomes a column of the result.
const MAX_VALUES = 200;

/** Checks a statement, and returns it prepared, or the reason why it is rejected. */
type Check = (sql: string) => Promise<{ statement: DuckDBPreparedStatement } | Refusal>;

interface PivotContext {
  connection: DuckDBConnection;
  check: Check;
  /** Common table expressions in scope, nearest last. */
  common: readonly Common[];
}

interface Common {
  key: string;
  value: unknown;
}

/** Inserts the values into the syntax tree, those of inner PIVOTs first. */
export async function listValues(value: unknown, context: PivotContext): Promise<Refusal | undefined> {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cte_map, ...parts } = value as Node;
  const common = [...context.common];
  for (const each of (cte_map as { map?: Common[] } | undefined)?.map ?? []) {
    const refusal = await listValues(each.value, { ...context, common: [...common] });
    if (refusal) return refusal;
    common.push(each);
  }
  for (const part of Object.values(parts)) {
    const refusal = await listValues(part, { ...context, common });
    if (refusal) return refusal;
  }
  return parts.type === 'PIVOT' ? listOf(parts, { ...context, common }) : undefined;
}

interface Entry {
  values: { value?: unknown }[];
}

interface Pivot {
  pivot_expressions: unknown[];
  entries: Entry[];
}

async function listOf(pivot: Node, context: PivotContext): Promise<Refusal | undefined> {
  const pivots = pivot.pivots as Pivot[];
  for (const each of pivots) {
    const [entry] = each.entries;
    if (!entry || each.entries.length !== 1 || entry.values[0]?.value !== MARK) continue;
    const values = await valuesOf(each.pivot_expressions[0], pivot.source, context);
    if (!Array.isArray(values)) return values;
    each.entries = values.map((value) => ({ ...entry, values: [{ ...entry.values[0], value }] }));
  }
  const columns = pivots.reduce((product, { entries }) => product * entries.length, 1);
  return columns <= MAX_VALUES ? undefined : tooMany();
}

// The names are placeholders. Values are ordered by their own type, so 10 comes after 9.
const TEMPLATE = `SELECT CAST(skein_expression AS VARCHAR) FROM skein_source WHERE skein_expression IS NOT NULL
  GROUP BY skein_expression ORDER BY skein_expression LIMIT ${MAX_VALUES + 1}`;

async function valuesOf(
  expression: unknown,
  source: unknown,
  { connection, check, common }: PivotContext,
): Promise<string[] | Refusal> {
  const [template] = (await serialize(connection, TEMPLATE))?.statements ?? [];
  const statement = filled(template, { expression, source }) as { node: Node };
  const seen = new Map(common.map((each) => [each.key.toLowerCase(), each]));
  statement.node.cte_map = { map: [...seen.values()] };
  const checked = await check(await deserialize(connection, statement));
  if ('rule' in checked) return checked;
  try {
    const rows = await (await checked.statement.runAndReadAll()).getRows();
    if (rows.length > MAX_VALUES) return tooMany();
    if (rows.length === 0) return { rule: 'invalid_sql', reason: 'PIVOT finds no values for its columns' };
    return rows.map(([value]) => String(value));
  } finally {
    checked.statement.destroySync();
  }
}

function filled(value: unknown, parts: { expression: unknown; source: unknown }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => filled(each, parts));
  const node = value as Node;
  if (node.type === 'BASE_TABLE') return parts.source;
  if (node.class === 'COLUMN_REF') return parts.expression;
  return Object.fromEntries(Object.entries(node).map(([name, part]) => [name, filled(part, parts)]));
}

function tooMany(): Refusal {
  return {
    rule: 'argument_not_allowed',
    reason: `PIVOT would create more than ${MAX_VALUES} columns: list the values, PIVOT … ON column IN (…), or filter the rows first`,
  };
}

/** Walks the syntax tree of a SELECT from `json_serialize_sql`, and rejects everything that is not known to be harmless. */

import type { Refusal } from '../../refusal.ts';
import { type Catalog, isAmong, lowerCase, type Node } from '../catalog.ts';
import { refusedArguments } from './calls/arguments.ts';
import { FUNCTIONS, TABLE_FUNCTIONS } from './calls/functions.ts';
import { isMethod, withReceiver } from './calls/method-call.ts';
import { COLUMNS_VIEW, isColumnsView } from './information-schema.ts';
import { endlessRecursion } from './recursion.ts';

interface VisitContext {
  catalog: Catalog;
  /** The names of the common table expressions in scope. */
  scope: ReadonlySet<string>;
  depth: number;
  /** Collects the tables that are read. */
  found: Set<string>;
}

// Each level of an expression is two levels of the tree. DuckDB's own limit is a thousand levels.
const MAX_DEPTH = 500;

const EXPRESSIONS = new Set(
  `BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA OPERATOR POSITIONAL_REFERENCE
  STAR SUBQUERY WINDOW`.split(/\s+/),
);

const OTHER_NODES = new Set(
  `RECURSIVE_CTE_NODE SELECT_NODE SET_OPERATION_NODE EMPTY JOIN SUBQUERY EXPRESSION_LIST PIVOT TABLE_FUNCTION BASE_TABLE ORDER_MODIFIER
  LIMIT_MODIFIER LIMIT_PERCENT_MODIFIER DISTINCT_MODIFIER ORDER_DEFAULT ASCENDING DESCENDING ARRAY_TYPE_INFO
  DECIMAL_TYPE_INFO LIST_TYPE_INFO STRING_TYPE_INFO STRUCT_TYPE_INFO UNBOUND_TYPE_INFO`.split(/\s+/),
);

/** The tables that the statement reads, or why it is rejected. */
export function walkTree(statement: unknown, catalog: Catalog): { tables: string[] } | Refusal {
  const found = new Set<string>();
  const refusal = visit(statement, { catalog, scope: new Set(), depth: 0, found });
  return refusal ?? { tables: [...found].sort() };
}

function visit(value: unknown, context: VisitContext): Refusal | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (context.depth > MAX_DEPTH)
    return { rule: 'too_nested', reason: 'The statement is nested too deeply: simplify it' };
  const inner = { ...context, depth: context.depth + 1 };
  if (Array.isArray(value)) return firstRefusal(value, (item) => visit(item, inner));
  const node = value as Node;
  return judge(node, context) ?? visitParts(node, inner);
}

/** Visits every part, known or not, except the value of a constant. */
function visitParts(node: Node, context: VisitContext): Refusal | undefined {
  if (node.class === 'CONSTANT') return undefined;
  const { cte_map, ...parts } = node;
  // The name of the table function has already been checked. Only its arguments are expressions.
  if (node.type === 'TABLE_FUNCTION') parts.function = (node.function as Node | undefined)?.children;
  const scope = new Set(context.scope);
  const common = (cte_map as { map?: { key: string; value: unknown }[] } | undefined)?.map ?? [];
  return (
    firstRefusal(common, ({ key, value }) => {
      const refusal = visit(value, { ...context, scope: new Set(scope) });
      scope.add(lowerCase(key));
      return refusal;
    }) ??
    firstRefusal(Object.entries(parts), ([name, part]) =>
      visit(part, { ...context, scope: seenIn(name, node, scope) }),
    )
  );
}

/** A recursive table is in its own scope, except in its initial part. */
function seenIn(part: string, node: Node, scope: ReadonlySet<string>): ReadonlySet<string> {
  if (node.type !== 'RECURSIVE_CTE_NODE' || part !== 'right') return scope;
  return new Set([...scope, lowerCase(String(node.cte_name))]);
}

function judge(node: Node, context: VisitContext): Refusal | undefined {
  if (typeof node.class === 'string') return judgeExpression(node, context);
  if (typeof node.type !== 'string') return undefined;
  if (node.type === 'BASE_TABLE') return judgeTable(node, context);
  if (node.type === 'TABLE_FUNCTION') return judgeTableFunction(node, context);
  if (node.type === 'RECURSIVE_CTE_NODE') return endlessRecursion(node);
  if (node.type === 'SHOW_REF') return judgeShow(node, context);
  return OTHER_NODES.has(node.type) ? undefined : unknown(node.type);
}

/** The query of a DESCRIBE or SUMMARIZE is visited like any other. Other forms of SHOW have no query, and list the catalog. */
function judgeShow({ show_type, query }: Node, { catalog }: VisitContext): Refusal | undefined {
  if ((show_type !== 'DESCRIBE' && show_type !== 'SUMMARY') || typeof query !== 'object' || query === null)
    return {
      rule: 'catalog_not_allowed',
      reason:
        'SHOW is not allowed: use DESCRIBE or SUMMARIZE with a table of the schema, or information_schema.columns',
    };
  // For SUMMARIZE, DuckDB calls functions by name, which the file may have replaced.
  if (show_type === 'DESCRIBE' || ![...catalog.macros].some((name) => FUNCTIONS.has(name))) return undefined;
  return {
    rule: 'function_not_allowed',
    reason: "SUMMARIZE is not allowed: the database defines functions with names of DuckDB's own",
  };
}

function judgeExpression(node: Node, context: VisitContext): Refusal | undefined {
  const kind = String(node.class);
  if (kind === 'PARAMETER') return unknown('parameters such as ? and $1: write the value itself');
  if (!EXPRESSIONS.has(kind)) return unknown(kind);
  return kind === 'FUNCTION' || kind === 'WINDOW' ? judgeFunction(node, FUNCTIONS, context) : undefined;
}

function judgeFunction(
  node: Node,
  allowed: ReadonlySet<string>,
  { catalog }: VisitContext,
): Refusal | undefined {
  const name = lowerCase(String(node.function_name));
  const known = allowed.has(name) && !catalog.macros.has(name);
  if (known && isAmong(node.schema, ['', 'main']) && isAmong(node.catalog, ['', 'system']))
    return refusedArguments(name, node);
  if (known && allowed === FUNCTIONS && isMethod(node, catalog))
    return refusedArguments(name, withReceiver(node));
  return { rule: 'function_not_allowed', reason: `The function ${quote(node.function_name)} is not allowed` };
}

function judgeTableFunction(node: Node, context: VisitContext): Refusal | undefined {
  const refusal = judgeFunction((node.function ?? {}) as Node, TABLE_FUNCTIONS, context);
  if (refusal?.rule !== 'function_not_allowed') return refusal;
  return {
    rule: 'table_function_not_allowed',
    reason: `${refusal.reason} in FROM: read the tables of the schema; unnest, range and generate_series are allowed`,
  };
}

function judgeTable(node: Node, { catalog, scope, found }: VisitContext): Refusal | undefined {
  if (node.at_clause) return unknown('AT');
  const name = lowerCase(String(node.table_name));
  const qualified = node.schema_name !== '' || node.catalog_name !== '';
  if (!qualified && scope.has(name)) return undefined;
  if (isColumnsView(node, catalog)) {
    found.add(COLUMNS_VIEW);
    return undefined;
  }
  const table = catalog.tables.get(name);
  const here =
    isAmong(node.schema_name, ['', 'main']) && isAmong(node.catalog_name, ['', lowerCase(catalog.name)]);
  if (table === undefined || !here) {
    return {
      rule: 'table_not_allowed',
      reason: `The table ${quote(node.table_name)} is not available: use the tables of the given schema`,
    };
  }
  found.add(table);
  return undefined;
}

function unknown(what: string): Refusal {
  return { rule: 'unknown_syntax', reason: `This syntax is not allowed: ${what}` };
}

/** Limits the length of a name, so that the reason stays short. */
function quote(name: unknown): string {
  return `"${String(name).slice(0, 100)}"`;
}

function firstRefusal<T>(items: T[], judgeItem: (item: T) => Refusal | undefined): Refusal | undefined {
  for (const item of items) {
    const refusal = judgeItem(item);
    if (refusal) return refusal;
  }
  return undefined;
}

/** The data that tools of any graph can query: the settings of the core workflows, and shared engines. */
import { afterAll, expect, test } from 'bun:test';
import { dataSources } from '../../../runtime/workflows/data-sources.ts';
import { openSqlDatabase } from '../../../tools/sql/open.ts';

const sql = openSqlDatabase({ path: '/nowhere/shop.duckdb', seeds: false });
afterAll(() => sql.close());

const unexpectedCall = () => {
  throw new Error('no call is expected');
};
const knowledge = { open: unexpectedCall, description: '', missing: async () => undefined };

const sourcesOf = (settings: Record<string, unknown>, replaced: string[] = []) =>
  dataSources({
    settings,
    replaced: new Set(replaced),
    sql,
    knowledge,
    mcp: { tools: unexpectedCall, call: unexpectedCall },
  });

const RULES = { maxRows: 200, querySeconds: 5, requireApproval: false };

test('the rules are taken from the settings of the core workflows', () => {
  expect(sourcesOf({})).toMatchObject({ sqlRules: RULES, searchRules: { limit: 6 } });
  const settings = {
    'sql-manipulation-agent': { require_approval: true, max_rows: 7, query_seconds: 2, model: 'other' },
    'knowledge-base-agent': { top_k: 3, threshold: 0.4 },
  };
  expect(sourcesOf(settings)).toMatchObject({
    sqlRules: { maxRows: 7, querySeconds: 2, requireApproval: true },
    searchRules: { limit: 3, threshold: 0.4 },
  });
});

test("settings of a project's workflow with the same name are not used", () => {
  const settings = { 'sql-manipulation-agent': { replaces_core: true, tables: ['bikes'], max_rows: 7 } };
  expect(sourcesOf(settings, ['sql-manipulation-agent']).sqlRules).toEqual(RULES);
});

test('the error names an invalid setting', () => {
  expect(() => sourcesOf({ 'sql-manipulation-agent': { max_rows: 0 } })).toThrow(
    'workflows.sql-manipulation-agent.max_rows',
  );
});

test('equal limits share an engine', () => {
  const { openSql } = sourcesOf({});
  const engine = openSql({ maxRows: 3, querySeconds: 1 });
  expect(openSql({ querySeconds: 1, maxRows: 3 })).toBe(engine);
  expect(openSql({ querySeconds: 2, maxRows: 3 })).not.toBe(engine);
});

/** A service on PostgreSQL warns of parts that several servers would not share. */
import { expect, test } from 'bun:test';
import { configurationWarnings } from '../../cli/service/checks/warnings.ts';
import { project } from './project.ts';

const POSTGRES = 'chat_history: {database_type: postgresql, connection_string: "postgres://a:b@db/c"}\n';

const warningsOf = (config: string) => configurationWarnings(project({ 'config.yml': config }).load());

test('prompt files, documents and the DuckDB file in a folder cause one warning each', () => {
  const warnings = warningsOf(POSTGRES);
  expect(warnings.map((one) => one.split(':')[0])).toEqual([
    'prompts.path',
    'knowledge_base.documents_path',
    'local_sql_db.database_path',
  ]);
  for (const warning of warnings) expect(warning).toContain('local to this server');
  expect(warningsOf('')).toEqual([]);
});

test('shared parts cause no warning', () => {
  const warnings = warningsOf(`${POSTGRES}
prompts: {storage: postgresql}
knowledge_base: {mode: cloud}
cloud_search: {endpoint: "https://s.example", index_name: i, api_key: k}
cloud_sql: {driver: postgres, connection_string: "postgres://db/shop"}`);
  expect(warnings.filter((one) => one.includes('local to this server'))).toEqual([]);
});

/** Makes paths absolute, seeds sample data only if that is safe, and redacts secrets. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { redacted } from '../../settings/redact.ts';
import { project } from './project.ts';

describe('relative paths', () => {
  test('are relative to the folder of the file that has them', () => {
    const { cwd, load } = project({
      'a/config.yml':
        'chat_history: {database_path: db}\nweb_configuration: {tls: {cert: c.pem, key: /k.pem}}',
      'b/profiles.yml': '- name: dev\n  prompts: {path: ../prompts}\n  knowledge_base: {embedding_folder: e}',
      'a/.env': 'SERVICE_KNOWLEDGE_BASE__INDEX_PATH=index\nSERVICE_PROFILE_PATH=../b/profiles.yml',
    });
    const env = { SERVICE_PROJECT_PATH: 'a/config.yml', SERVICE_LOCAL_SQL_DB__DATABASE_PATH: 'sales.duckdb' };
    const { settings } = load({ env });
    expect(settings.chat_history.database_path).toBe(join(cwd, 'a/db'));
    expect(settings.web_configuration.tls).toEqual({ cert: join(cwd, 'a/c.pem'), key: '/k.pem' });
    expect(settings.prompts.path).toBe(join(cwd, 'prompts'));
    expect(settings.knowledge_base).toMatchObject({
      embedding_folder: join(cwd, 'b/e'),
      index_path: join(cwd, 'a/index'),
      documents_path: join(cwd, '.tmp/knowledge_base'),
    });
    expect(settings.local_sql_db.database_path).toBe(join(cwd, 'sales.duckdb'));
  });
});

describe('seed_samples', () => {
  const seeding = (yaml: string) => {
    const { knowledge_base, local_sql_db } = project({ 'config.yml': yaml }).load().settings;
    return [knowledge_base.seed_samples, local_sql_db.seed_samples];
  };

  test('is true by default if the path is the default one', () => {
    expect(seeding('')).toEqual([true, true]);
    expect(seeding('local_sql_db: {database_path: .tmp/sample.duckdb}')).toEqual([true, true]);
  });

  test('is false by default if another path is set', () => {
    expect(
      seeding('knowledge_base: {documents_path: docs}\nlocal_sql_db: {database_path: x.duckdb}'),
    ).toEqual([false, false]);
  });

  test('is the explicit value', () => {
    expect(
      seeding(
        'knowledge_base: {documents_path: docs, seed_samples: true}\nlocal_sql_db: {seed_samples: false}',
      ),
    ).toEqual([true, false]);
  });
});

test('a redacted tree shows everything except the secrets', () => {
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$canary';
  const { settings } = project({
    'config.yml': JSON.stringify({
      web_configuration: {
        authentication: {
          username: 'ann',
          password: 'canary',
          jwt_secret_key: 'canary',
          users: [{ username: 'bob', password_hash: hash }],
          api_keys: [{ name: 'ci', sha256: 'ca'.repeat(32) }],
        },
        tls: { cert: '/c.pem', key: '/k.pem' },
      },
      models: [
        { model: 'a', api_key: 'canary', base_url: 'https://u:canary@p@h/v1?sig=canary&v=canary' },
        { model: 'b', base_url: 'http://plain/v1' },
      ],
      cloud_sql: { database_name: 'd', connection_string: 'canary', username: 'u', password: 'canary' },
      cloud_search: { api_key: 'canary' },
      prompts: { azure: { container: 'abc', connection_string: 'canary' } },
      workflows: { mine: { service_token: 'canary', top_k: 5 } },
    }),
  }).load();
  const text = JSON.stringify(redacted(settings));
  expect(text).not.toContain('canary');
  expect(text).not.toContain('ca'.repeat(32));
  expect(redacted(settings)).toMatchObject({
    web_configuration: {
      port: 80,
      authentication: { username: 'ann', password: '[redacted]', users: [{ username: 'bob' }] },
      tls: { cert: '/c.pem', key: '/k.pem' },
    },
    models: [
      { api_key: '[redacted]', base_url: 'https://[redacted]@h/v1?sig=[redacted]&v=[redacted]' },
      { base_url: 'http://plain/v1' },
    ],
    cloud_sql: { username: 'u', password: '[redacted]' },
    workflows: { mine: { service_token: '[redacted]', top_k: 5 } },
  });
  expect(settings.cloud_search?.api_key).toBe('canary');
});

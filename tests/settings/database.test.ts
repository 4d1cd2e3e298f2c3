/** Which database stores the conversations, and how servers share it. */
import { expect, test } from 'bun:test';
import { redacted } from '../../settings/redact.ts';
import { project } from './project.ts';

const POSTGRES = 'chat_history: {database_type: postgresql}';
const URL_OF_STATE = 'postgres://skein:canary@db.example:5432/state?sslmode=require';
const FIELD = "Validation error in field 'chat_history.connection_string'";

test('by default, the database is a file for one process', () => {
  const { settings } = project().load();
  expect(settings.chat_history).toMatchObject({ database_type: 'sqlite', pool_size: 10 });
  expect(settings.chat_history.connection_string).toBeUndefined();
  expect(settings.cluster).toEqual({ lease_seconds: 10, role: 'all' });
});

test('DATABASE_URL is the address of PostgreSQL unless the settings have one', () => {
  const env = { DATABASE_URL: URL_OF_STATE };
  const { settings, sources } = project({ 'config.yml': POSTGRES }).load({ env });
  expect(settings.chat_history.connection_string).toBe(URL_OF_STATE);
  expect(sources['chat_history.connection_string']).toBe('environment DATABASE_URL');
  const own = 'chat_history: {database_type: postgresql, connection_string: "postgresql://h/own"}';
  expect(project({ 'config.yml': own }).load({ env }).settings.chat_history.connection_string).toBe(
    'postgresql://h/own',
  );
  const byEnvironment = { ...env, SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql' };
  expect(project().load({ env: byEnvironment }).settings.chat_history.connection_string).toBe(URL_OF_STATE);
  expect(
    project({ 'config.yml': POSTGRES, '.env': `DATABASE_URL=${URL_OF_STATE}` }).load().sources[
      'chat_history.connection_string'
    ],
  ).toBe('environment DATABASE_URL in .env');
});

test('a DATABASE_URL of another program is ignored with SQLite', () => {
  const { settings } = project().load({ env: { DATABASE_URL: 'mysql://h/canary' } });
  expect(settings.chat_history.connection_string).toBeUndefined();
});

test('PostgreSQL requires a connection string', () => {
  expect(project({ 'config.yml': POSTGRES }).refusal()).toBe(
    `${FIELD}: missing; database_type postgresql needs it. Set DATABASE_URL`,
  );
});

test.each(['mysql://h/canary', 'canary', 'postgres://', 'postgres://h/a canary', 'Host=h;Password=canary'])(
  'an invalid PostgreSQL URL is rejected and not shown: %s',
  (text) => {
    const expected = `${FIELD}: expected a postgres:// or postgresql:// URL`;
    expect(project({ 'config.yml': POSTGRES }).refusal({ env: { DATABASE_URL: text } })).toBe(
      `${expected} (environment DATABASE_URL)`,
    );
    const yaml = `chat_history: ${JSON.stringify({ database_type: 'postgresql', connection_string: text })}`;
    expect(project({ 'config.yml': yaml }).refusal()).toBe(`${expected} (config.yml)`);
  },
);

test('the connection string is a secret', () => {
  const env = { DATABASE_URL: URL_OF_STATE };
  const shown = redacted(project({ 'config.yml': POSTGRES }).load({ env }).settings);
  expect(shown).toMatchObject({ chat_history: { connection_string: '[redacted]', pool_size: 10 } });
  expect(JSON.stringify(shown)).not.toContain('canary');
});

test('a server role requires a database that servers share', () => {
  for (const role of ['front', 'worker']) {
    expect(project({ 'config.yml': `cluster: {role: ${role}}` }).refusal()).toBe(
      "Validation error in field 'cluster.role': must be all unless chat_history.database_type is postgresql: only one process can open an SQLite file",
    );
    const { settings } = project({ 'config.yml': `${POSTGRES}\ncluster: {role: ${role}}` }).load({
      env: { DATABASE_URL: URL_OF_STATE },
    });
    expect(settings.cluster.role as string).toBe(role);
  }
  const lease = project({ 'config.yml': 'cluster: {role: all, lease_seconds: 1}' }).load();
  expect(lease.settings.cluster.lease_seconds).toBe(1);
});

test.each([
  ['chat_history: {pool_size: 0}', 'chat_history.pool_size', 'an integer from 1 to 100'],
  ['chat_history: {pool_size: 101}', 'chat_history.pool_size', 'an integer from 1 to 100'],
  ['cluster: {lease_seconds: 0.5}', 'cluster.lease_seconds', 'a number from 1 to 300'],
  ['cluster: {lease_seconds: 301}', 'cluster.lease_seconds', 'a number from 1 to 300'],
  ['cluster: {role: leader}', 'cluster.role', 'one of all, front, worker'],
])('%s is rejected', (yaml, field, expected) => {
  expect(project({ 'config.yml': yaml }).refusal()).toBe(
    `Validation error in field '${field}': expected ${expected} (config.yml)`,
  );
});

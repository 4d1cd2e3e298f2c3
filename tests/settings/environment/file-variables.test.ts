/** Variables whose values are in files, as for mounted secrets: `<NAME>_FILE`. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { project } from '../project.ts';

describe('a variable whose name ends in _FILE', () => {
  test.each([
    ['a line break at the end', 'sk-1\n'],
    ['one of another system', 'sk-1\r\n'],
    ['none', 'sk-1'],
  ])('has the content of the file as its value, with %s', (_, content) => {
    const { load, cwd } = project({ key: content });
    const { settings, sources } = load({ env: { LLM_PROVIDER_API_KEY_FILE: join(cwd, 'key') } });
    expect(settings.models[0]?.api_key).toBe('sk-1');
    expect(sources['models[0].api_key']).toBe('environment LLM_PROVIDER_API_KEY_FILE');
  });

  test('removes only the last line break', () => {
    const { load } = project({ password: ' a\nb\n\n' });
    const { settings } = load({
      env: { SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD_FILE: 'password' },
    });
    expect(settings.web_configuration.authentication.password).toBe(' a\nb\n');
  });

  test.each([
    ['WEB_PORT_FILE', '8081', 'web_configuration.port', 8081],
    ['SERVICE_WEB_CONFIGURATION__PORT_FILE', '8082', 'web_configuration.port', 8082],
    ['service_memory__window_messages_file', '7', 'memory.window_messages', 7],
    ['DATABASE_URL_FILE', 'postgres://a@b/c', 'chat_history.connection_string', 'postgres://a@b/c'],
    ['SQL_PASSWORD_FILE', 'p', 'cloud_sql.password', 'p'],
    ['SERVICE_PROFILE_FILE', 'second', 'profile', 'second'],
  ])('%s is supported', (name, content, path, value) => {
    const { load } = project({
      value: `${content}\n`,
      'config.yml':
        'chat_history: {database_type: postgresql}\ncloud_sql: {database_name: a, driver: mysql, server_name: b}',
      'profiles.yml': '[{name: first}, {name: second}]',
    });
    const env = {
      [name]: 'value',
      ...(name !== 'DATABASE_URL_FILE' && { DATABASE_URL: 'postgres://a@b/d' }),
    };
    const { settings, sources } = load({ env });
    const found = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], settings);
    expect(found).toBe(value);
    expect(sources[path]).toBe(`environment ${name}`);
  });

  test('in .env is relative to the folder of .env, and can be referenced', () => {
    const { load, cwd } = project({
      'deep/config.yml': `models: [{model: a, api_key: "\${LLM_PROVIDER_API_KEY}"}]`,
      'deep/.env': 'LLM_PROVIDER_API_KEY_FILE=key',
      'deep/key': 'sk-2\n',
    });
    const { settings } = load({ flags: { config: join(cwd, 'deep/config.yml') } });
    expect(settings.models[0]?.api_key).toBe('sk-2');
  });

  test("can set the configuration's path", () => {
    const { load } = project({
      'other/config.yml': 'memory: {window_messages: 3}',
      where: 'other/config.yml',
    });
    expect(load({ env: { SERVICE_PROJECT_PATH_FILE: 'where' } }).settings.memory.window_messages).toBe(3);
  });

  test('is rejected if the variable itself is also set', () => {
    const { refusal } = project({ key: 'sk-1' });
    const env = { LLM_PROVIDER_API_KEY: 'sk-0', LLM_PROVIDER_API_KEY_FILE: 'key' };
    expect(refusal({ env })).toBe(
      "Validation error in field 'LLM_PROVIDER_API_KEY_FILE': LLM_PROVIDER_API_KEY is also set; set only one of them",
    );
  });

  test.each([
    ['is not there', 'missing', 'its file cannot be read (ENOENT)'],
    ['is a folder', '.', 'its file cannot be read (EISDIR)'],
    ['is empty', 'empty', 'its file is empty (environment DATABASE_URL_FILE)'],
  ])('is rejected if the file %s', (_, path, reason) => {
    const { refusal } = project({ empty: '\n' });
    expect(refusal({ env: { DATABASE_URL_FILE: path } })).toBe(
      `Validation error in field 'DATABASE_URL_FILE': ${reason}`,
    );
  });

  test('is ignored if it belongs to another program', () => {
    expect(project().load({ env: { SSL_CERT_FILE: 'missing', SERVICE_HOST_FILE: '' } }).warnings).toEqual([]);
  });
});

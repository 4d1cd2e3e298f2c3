/** What `skein validate` prints. */
import { expect, test } from 'bun:test';
import { validateReport } from '../../cli/validate.ts';
import { project } from './project.ts';

test('with nothing configured it says so, and how to configure a model', () => {
  const { cwd, load } = project();
  expect(validateReport(load(), [])).toEqual({
    ok: true,
    text: `Files
  config.yml    not found, defaults are used; SERVICE_PROJECT_PATH or --config names another
  profiles.yml  not found, not needed; SERVICE_PROFILE_PATH or --profiles names another
  .env          not found, not needed; it may stand in ${cwd}

Chat model
  skein-offline, the built-in model; set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL to use a provider

The configuration is valid.
`,
  });
});

test('it shows what is not a default, where it came from, and no secret', () => {
  const { cwd, load } = project({
    'config.yml': 'web_configuration: {port: 8080}\nmodels: [{model: a, api_key: canary}]',
  });
  const env = { SERVICE_WEB_CONFIGURATION__HOST: '127.0.0.1', LLM_PROVIDER_BASE_URL: 'http://u:canary@h/v1' };
  expect(validateReport(load({ env }), []).text).toBe(`Files
  config.yml    ${cwd}/config.yml
  profiles.yml  not found, not needed; SERVICE_PROFILE_PATH or --profiles names another
  .env          not found, not needed; it may stand in ${cwd}

web_configuration
  port  8080         config.yml
  host  "127.0.0.1"  environment SERVICE_WEB_CONFIGURATION__HOST

models
  [0].model     "a"                       config.yml
  [0].api_key   "[redacted]"              config.yml
  [0].base_url  "http://[redacted]@h/v1"  environment LLM_PROVIDER_BASE_URL

Chat model
  a at http://[redacted]@h/v1

The configuration is valid.
`);
});

test('it warns of what has no effect', () => {
  const { load } = project({
    'a/config.yml': `web_configuration:
  authentication: {enable: true, username: a, password: b, jwt_secret_key: ${'x'.repeat(32)}}`,
    'a/profiles.yml': '- name: dev',
  });
  const { text, ok } = validateReport(load({ flags: { config: 'a/config.yml' } }), []);
  expect(text).toContain(`Warnings
  web_configuration.authentication: enable without enable_global_middleware protects nothing
  profiles.yml beside config.yml is not read; name it with SERVICE_PROFILE_PATH or --profiles`);
  expect(ok).toBe(true);
});

test('it lists what is missing for what was chosen', () => {
  const { load } = project({
    'config.yml':
      'knowledge_base: {mode: cloud}\nprompts: {storage: azure}\ncloud_sql: {database_name: sales}',
  });
  const { text, ok } = validateReport(load(), []);
  expect(text).toContain(`Missing
  cloud_search.endpoint, for knowledge_base.mode cloud
  cloud_search.index_name, for knowledge_base.mode cloud
  cloud_search.api_key, for knowledge_base.mode cloud
  cloud_sql.connection_string or cloud_sql.server_name; database_name skip means the local database
  prompts.azure with connection_string or account_url, for prompts.storage azure`);
  expect(ok).toBe(false);
});

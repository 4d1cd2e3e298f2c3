/** What `skein validate` prints. */
import { expect, test } from 'bun:test';
import { type Findings, validateReport } from '../../cli/commands/validate/report.ts';
import { failure, ok, warning } from '../../cli/service/checks/check.ts';
import { configurationWarnings } from '../../cli/service/checks/warnings.ts';
import { styleFor } from '../../cli/terminal/style.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { project } from './project.ts';

const PLAIN = { style: styleFor({}, {}), width: undefined };

function report(loaded: LoadedSettings, { checks = [], warnings = [] }: Partial<Findings> = {}, page = {}) {
  return validateReport(
    loaded,
    { checks: [ok('settings', 'valid'), ...checks], warnings },
    { ...PLAIN, ...page },
  );
}

test.each([
  ['https://login.example.org', 0],
  ['http://127.0.0.1:8080', 0],
  ['http://localhost', 0],
  ['http://login.example.org', 1],
])('an issuer at %s causes %d warnings about its address', (issuer, count) => {
  const oidc = `oidc: {issuer: "${issuer}", audience: skein}`;
  const config = `web_configuration: {authentication: {enable: true, enable_global_middleware: true, ${oidc}}}`;
  const found = configurationWarnings(project({ 'config.yml': config }).load());
  expect(found.filter((one) => one.includes('oidc.issuer')).length).toBe(count);
});

test('it reports if nothing is configured', () => {
  const { cwd, load } = project();
  expect(report(load())).toBe(`Files
  config.yml    not found, defaults apply; set another with SERVICE_PROJECT_PATH or --config
  profiles.yml  not found, optional; set another with SERVICE_PROFILE_PATH or --profiles
  .env          not found, optional; create it in ${cwd}

Checks
  ✓ settings  valid

All checks passed.
`);
});

test('it shows values that differ from the defaults, their sources, and no secrets', () => {
  const { cwd, load } = project({
    'config.yml': 'web_configuration: {port: 8080}\nmodels: [{model: a, api_key: canary}]',
  });
  const env = { SERVICE_WEB_CONFIGURATION__HOST: '127.0.0.1', LLM_PROVIDER_BASE_URL: 'http://u:canary@h/v1' };
  expect(report(load({ env }))).toBe(`Files
  config.yml    ${cwd}/config.yml
  profiles.yml  not found, optional; set another with SERVICE_PROFILE_PATH or --profiles
  .env          not found, optional; create it in ${cwd}

web_configuration
  port  8080         config.yml
  host  "127.0.0.1"  environment SERVICE_WEB_CONFIGURATION__HOST

models
  [0].model     "a"                       config.yml
  [0].api_key   "[redacted]"              config.yml
  [0].base_url  "http://[redacted]@h/v1"  environment LLM_PROVIDER_BASE_URL

Checks
  ✓ settings  valid

All checks passed.
`);
});

test('errors and warnings are counted, with advice below them', () => {
  const checks = [
    failure('state file', 'another process has it', 'stop that process'),
    warning('chat model', 'built in', 'set a key'),
  ];
  const text = report(project().load(), { checks });
  expect(text).toEndWith(`Checks
  ✓ settings    valid
  ✗ state file  another process has it
                → stop that process
  ! chat model  built in
                → set a key

1 of 3 checks failed, 1 warning.
`);
});

test('lines fit a narrow terminal, and control sequences in values are escaped', () => {
  const checks = [failure('port 80', `a\u001b[2Jb ${'word '.repeat(30)}`, 'x'.repeat(90))];
  const text = report(project().load(), { checks }, { width: 60 });
  const table = text.slice(text.indexOf('Checks'));
  expect(table).toContain('a\\u{1b}[2Jb');
  expect(Math.max(...table.split('\n').map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(60);
});

test('it warns of settings that have no effect', () => {
  const { load } = project({
    'a/config.yml': `web_configuration:
  authentication: {enable: true, username: a, password: b, jwt_secret_key: ${'x'.repeat(32)}}`,
    'a/profiles.yml': '- name: dev',
  });
  const loaded = load({ flags: { config: 'a/config.yml' } });
  expect(report(loaded, { warnings: configurationWarnings(loaded) })).toContain(`Warnings
  web_configuration.authentication: enable without enable_global_middleware protects nothing
  profiles.yml beside config.yml is ignored; set it with SERVICE_PROFILE_PATH or --profiles`);
});

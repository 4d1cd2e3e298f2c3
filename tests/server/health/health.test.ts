/** Health, liveness, readiness and diagnostics. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../../package.json';
import { type TestService, testService } from '../../support/service.ts';
import { ON_POSTGRES } from '../../support/test-state.ts';
import { echoing, failure } from '../support/calls.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider } from '../support/running.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
let service: TestService;

// It does not retry, and has a secret in every setting that takes one.
beforeEach(async () => {
  const config = `
models:
  - {model: test-model, base_url: '${provider.url}', api_key: secret-key, max_retries: 0}
  - {model: other, base_url: 'https://user:secret-key-url@example.org/v1?sig=secret-key-query', api_key: secret-key-other}
web_configuration:
  authentication: {username: u, password: secret-key-password, jwt_secret_key: secret-key-${'x'.repeat(32)}}
cloud_sql: {database_name: skip, connection_string: 'Server=h;Password=secret-key-sql'}
`;
  service = await testService({ config, env: { SQL_PASSWORD: 'secret-key-env' } });
});

afterEach(() => service.close());

const get = (path: string) => answerOf(service.fetch(path));

test('healthy: status, time, uptime, response time and all components', async () => {
  const { status, body } = await get('/api/v1/health');
  expect(status).toBe(200);
  expect(body).toEqual({
    status: 'healthy',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    version: packageJson.version,
    uptime_seconds: expect.any(Number),
    response_time_ms: expect.any(Number),
    components: expect.any(Object),
  });
  for (const part of ['configuration', 'state', 'prompts', 'model']) {
    expect([part, body.components[part].status]).toEqual([part, 'healthy']);
  }
});

test('the diagnostic has directories and settings, and no secret', async () => {
  const response = await service.fetch('/api/v1/diagnostic');
  const text = await response.text();
  const { directories, settings, disk, ...body } = JSON.parse(text);
  expect(response.status).toBe(200);
  expect(directories).toEqual({
    prompts: join(service.folder, '.files/prompts'),
    state: ON_POSTGRES
      ? expect.stringMatching(/^postgresql:\/\/127\.0\.0\.1:\d+\/\w+$/)
      : join(service.folder, '.tmp/skein.db'),
    knowledge_base: join(service.folder, '.tmp/knowledge_base'),
    sql_database: join(service.folder, '.tmp/sample.duckdb'),
  });
  expect(Object.keys(body).toSorted()).toEqual(['components', 'runtime', 'version', 'warnings', 'workflows']);
  expect(settings.models[0]).toMatchObject({ model: 'test-model', api_key: '[redacted]', max_retries: 0 });
  expect(settings.limits.run_seconds).toBe(120);
  expect(disk).toEqual({
    state_bytes: expect.any(Number),
    log_bytes: expect.any(Number),
    threads: expect.any(Number),
    runs: expect.any(Number),
  });
  expect(disk.state_bytes).toBeGreaterThan(0);
  for (const form of [text, decodeURIComponent(text), JSON.stringify(settings)])
    expect(form).not.toContain('secret-key');
  for (const encoding of ['base64', 'hex'] as const) {
    expect(text).not.toContain(Buffer.from('secret-key').toString(encoding).slice(0, 12));
  }
});

test('none of them calls the model', async () => {
  for (const path of ['/api/v1/health', '/api/v1/diagnostic', '/api/v1/workflows', '/livez', '/readyz']) {
    expect([path, (await service.fetch(path)).status]).toEqual([path, 200]);
  }
  expect(provider.requests).toEqual([]);
});

test('the service is alive and ready', async () => {
  for (const path of ['/livez', '/readyz']) expect(await (await service.fetch(path)).text()).toBe('ok');
});

test('an unavailable provider makes it degraded, calls fail immediately, and it recovers within ten seconds', async () => {
  provider.script = () => failure(503);
  for (let call = 0; call < 5; call++) {
    expect((await get('/api/v1/health')).body.status).toBe('healthy');
    expectRefused(await service.chat({ user_prompt: 'hi' }), 500, 'MODEL_CALL_FAILED');
  }
  const { status, body } = await get('/api/v1/health');
  expect({ status, health: body.status }).toEqual({ status: 200, health: 'degraded' });
  expect(body.components.model).toMatchObject({ status: 'degraded', down: ['test-model'] });
  const refused = await service.chat({ user_prompt: 'hi' });
  expectRefused(refused, 500, 'MODEL_CALL_FAILED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(provider.requests).toHaveLength(5);
  provider.script = echoing();
  await until(async () => (await service.chat({ user_prompt: 'hi' })).status === 200, 10_000);
  expect((await get('/api/v1/health')).body.status).toBe('healthy');
}, 60_000);

test('a provider that rejects a key makes it degraded until it accepts one, and is called each time', async () => {
  provider.script = () => failure(401);
  for (let call = 0; call < 6; call++) expect((await service.chat({ user_prompt: 'hi' })).status).toBe(500);
  expect((await get('/api/v1/health')).body.status).toBe('degraded');
  expect(provider.requests).toHaveLength(6);
  const { models } = (await get('/api/v1/diagnostic')).body.runtime;
  expect(models[0]).toMatchObject({ state: 'closed', problem: 'the provider answered 401' });
  provider.script = echoing();
  expect((await service.chat({ user_prompt: 'hi' })).status).toBe(200);
  expect((await get('/api/v1/health')).body.status).toBe('healthy');
});

test('a provider that rejects a request is not unavailable', async () => {
  provider.script = () => failure(400);
  for (let call = 0; call < 6; call++) expect((await service.chat({ user_prompt: 'hi' })).status).toBe(500);
  expect((await get('/api/v1/health')).body.status).toBe('healthy');
  expect(provider.requests).toHaveLength(6);
});

test.skipIf(ON_POSTGRES)('a broken component responds with 503 and its name', async () => {
  rmSync(join(service.folder, '.tmp', 'skein.db'));
  const { status, body, headers } = await get('/api/v1/health');
  const { components, ...error } = body;
  expectRefused({ status, headers, body: error }, 503, 'INTERNAL_ERROR');
  expect(error.detail).toBe('components.state');
  expect(components.state).toEqual({ status: 'broken' });
});

/** SIGTERM under load: no client gets a connection reset, and load balancers have time to notice. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, ITS_KEY } from '../support/certificate.ts';
import { freshDatabase, POSTGRES } from '../support/postgres-database.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { loopingClients } from './support/looping-clients.ts';
import { until } from './support/until.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

const CLIENTS = 16;
const LAME_DUCK = 'SERVICE_WEB_CONFIGURATION__LAME_DUCK_SECONDS';

const root = mkdtempSync(join(tmpdir(), 'skein-stop-'));
afterAll(() => rmSync(root, { recursive: true }));

const provider = scriptedProvider();
afterAll(() => provider.close());

let service: ServiceProcess | undefined;
afterEach(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
});

async function started(env: Record<string, string> = {}, config = ''): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(root, 'service-'));
  await Bun.write(join(folder, 'config.yml'), config);
  await Bun.write(join(folder, 'cert.pem'), CERTIFICATE);
  await Bun.write(join(folder, 'key.pem'), ITS_KEY);
  service = await spawnService(folder, { ...providerEnv(provider.url), ...env });
  return service;
}

const TRUSTING = { tls: { rejectUnauthorized: false } };
const ask = (path: string) => fetch(`${service?.url}${path}`, TRUSTING);

function chat(more: object): Promise<Response> {
  return fetch(`${service?.url}/api/v1/chat`, {
    ...TRUSTING,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: 'It broke.', conversation_flow: 'classification-agent', ...more }),
  });
}

/** Holds model calls until the release. */
function heldCalls() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  provider.script = classifying(async () => {
    reached.resolve();
    await promise;
    return 'It is over.';
  });
  return { reached: reached.promise, release };
}

test.each([
  ['HTTP', ''],
  ['HTTPS', 'web_configuration: {tls: {cert: cert.pem, key: key.pem}}'],
])('over %s no client is reset, and a stream that has started ends normally', async (_, config) => {
  const { url, kill, exited } = await started({}, config);
  const calls = heldCalls();
  const stream = await chat({ stream: true });
  await calls.reached;
  const clients = loopingClients(`${url}/api/v1/workflow-status/classification-agent`, CLIENTS);
  const late = loopingClients(`${url}/readyz`, 2);
  await until(() => (clients.ends['200'] ?? 0) > 100, 60_000);
  kill('SIGTERM');
  await until(() => (late.ends['503'] ?? 0) > 0, 10_000);
  // The drain waits for the stream, and other requests still get responses.
  const before = clients.closing();
  await until(() => clients.closing() > before + 50, 30_000);
  calls.release();
  expect(await stream.text()).toContain('It is over.');
  await Promise.all([clients.over, late.over]);
  expect(await exited).toBe(0);
  expect(Object.keys({ ...clients.ends, ...late.ends }).toSorted()).toEqual(['200', '503', 'refused']);
});

test('for lame_duck_seconds requests are served, /readyz fails and responses close their connections', async () => {
  const { kill, exited } = await started({ [LAME_DUCK]: '3' });
  provider.script = classifying();
  expect((await ask('/readyz')).status).toBe(200);
  const began = performance.now();
  kill('SIGTERM');
  await until(async () => (await ask('/readyz')).status === 503, 1_500);
  const answer = await chat({});
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  expect((await ask('/livez')).headers.get('connection')).toBe('close');
  expect(await exited).toBe(0);
  expect(performance.now() - began).toBeGreaterThan(2_900);
});

test('a second signal ends the lame-duck time immediately', async () => {
  const { kill, exited } = await started({ [LAME_DUCK]: '3600' });
  kill('SIGTERM');
  await until(async () => (await ask('/readyz')).status === 503, 10_000);
  let isOver = false;
  const code = exited.finally(() => {
    isOver = true;
  });
  // A repeat within a second counts as the same signal.
  await until(() => {
    kill('SIGTERM');
    return isOver;
  }, 30_000);
  expect(await code).toBe(1);
});

test.skipIf(!POSTGRES).each(['front', 'worker'])('a %s stops the same way', async (role) => {
  const database = await freshDatabase();
  try {
    const { url, kill, exited } = await started({
      SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
      SERVICE_CHAT_HISTORY__CONNECTION_STRING: database.url,
      SERVICE_CHAT_HISTORY__POOL_SIZE: '3',
      SERVICE_CLUSTER__ROLE: role,
      [LAME_DUCK]: '1',
    });
    const clients = loopingClients(`${url}/api/v1/health`, CLIENTS);
    const ready = loopingClients(`${url}/readyz`, 2);
    await until(() => (clients.ends['200'] ?? 0) > 50 && (ready.ends['200'] ?? 0) > 0, 60_000);
    kill('SIGTERM');
    await Promise.all([clients.over, ready.over]);
    expect(await exited).toBe(0);
    expect(Object.keys({ ...clients.ends, ...ready.ends }).toSorted()).toEqual(['200', '503', 'refused']);
    expect(clients.closing()).toBeGreaterThan(0);
  } finally {
    service?.kill('SIGKILL');
    await service?.exited;
    await database.drop();
  }
});

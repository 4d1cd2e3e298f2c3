/** A start checks its providers while it already serves. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { listening, type ServiceProcess, spawnCommand } from '../support/process.ts';
import { type ChatRequest, classifying, completion } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { stateEnv } from '../support/test-state.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

let service: ServiceProcess | undefined;
let folder = '';
afterEach(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
  rmSync(folder, { recursive: true });
});

async function started(url: string, config = ''): Promise<ServiceProcess> {
  folder = mkdtempSync(join(tmpdir(), 'skein-provider-'));
  await Bun.write(join(folder, 'config.yml'), config);
  const words = ['serve', '--port', '0', '--host', '127.0.0.1', '--log-level', 'warn'];
  const env = { ...WITHOUT_SAMPLES, ...(await stateEnv(folder)), ...providerEnv(url) };
  service = await listening(spawnCommand(words, folder, env));
  return service;
}

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(`${service?.url}${path}`, init);
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  return (await response.json()) as any;
}

const chat = () =>
  ask('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: 'It broke.', conversation_flow: 'classification-agent' }),
  });
const warnings = async (): Promise<string[]> => (await ask('/api/v1/diagnostic')).warnings;

test('a rejected key causes a warning and degraded health, and the error of a chat names it', async () => {
  const requests: string[] = [];
  let isRefusing = true;
  const provider = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      if (isRefusing) return new Response('not this secret-key', { status: 401 });
      const wanted = (await request.json()) as ChatRequest;
      const reply = await classifying('Well again.')(wanted, 0);
      return completion(typeof reply === 'string' ? reply : JSON.stringify(reply), wanted);
    },
  });
  try {
    const { output } = await started(`${provider.url}v1`);
    await until(async () => (await warnings()).length > 0, 30_000);
    expect(requests).toEqual(['GET /v1/models']);
    expect(await warnings()).toEqual([
      `chat model: test-model at ${provider.url}v1: the key is rejected (401); set a valid key in models[0].api_key or LLM_PROVIDER_API_KEY`,
    ]);
    expect(output()).toContain('the key is rejected (401)');
    const degraded = { status: 'degraded', components: { model: { down: ['test-model'] } } };
    expect(await ask('/api/v1/health')).toMatchObject(degraded);
    expect(await chat()).toMatchObject({
      error_code: 'MODEL_CALL_FAILED',
      detail: "Model 'test-model': the provider answered 401: not this [redacted]; check models[0].api_key",
    });
    expect(await ask('/api/v1/health')).toMatchObject(degraded);
    expect(output()).not.toContain('secret-key');
    // The first answer proves that the key is valid again.
    isRefusing = false;
    expect(await chat()).toMatchObject({ agent_response: expect.stringContaining('Well again.') });
    expect(await ask('/api/v1/health')).toMatchObject({ status: 'healthy' });
  } finally {
    await provider.stop(true);
  }
});

test('an unreachable address does not delay the start', async () => {
  // Accepts the connection and sends nothing, so the check times out after some seconds.
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  try {
    await started(`http://127.0.0.1:${silent.port}/v1`);
    expect((await fetch(`${service?.url}/readyz`)).status).toBe(200);
    expect(await warnings()).toEqual([]);
    expect((await ask('/api/v1/health')).status).toBe('healthy');
    await until(async () => (await warnings()).length > 0, 30_000);
    expect(await warnings()).toEqual([expect.stringContaining('no answer within 4 s')]);
    expect((await ask('/api/v1/health')).status).toBe('degraded');
  } finally {
    silent.stop(true);
  }
});

test('the error of a chat with an unreachable provider names the address', async () => {
  await started('http://127.0.0.1:9/v1', 'models: [{model: test-model, max_retries: 0}]');
  expect((await chat()).detail).toMatch(/cannot be reached.*; check models\[0\]\.base_url$/);
  await until(async () => (await warnings()).some((one) => one.includes('unreachable')), 30_000);
});

/** A graph's own model that cannot be reached: the log has the reason, and the response says that the call failed. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { listening, spawnCommand } from '../../support/process.ts';
import { WITHOUT_SAMPLES } from '../../support/service.ts';
import { projectFolder } from './project-folder.ts';

test('the log contains the reason, but no key', async () => {
  const folder = projectFolder('recorded');
  const closed = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const url = `http://127.0.0.1:${closed.port}/v1`;
  await closed.stop(true);
  const env = { ...WITHOUT_SAMPLES, OPENAI_BASE_URL: url, OPENAI_API_KEY: 'sk-canary' };
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'warn'];
  const service = await listening(spawnCommand(['serve', ...flags], folder, env));
  try {
    const response = await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_flow: 'recorded', user_prompt: 'Hello' }),
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error_code: 'MODEL_CALL_FAILED' });
  } finally {
    service.kill('SIGTERM');
    await service.exited;
  }
  await service.errors;
  expect(service.output()).toContain('"error_code":"MODEL_CALL_FAILED"');
  expect(service.output()).toContain('Connection error.');
  expect(service.output()).not.toContain('sk-canary');
  rmSync(folder, { recursive: true });
}, 60_000);

/** A background response whose process is killed: it and its stream continue at the next start. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { spawnService } from '../../support/process.ts';
import { scriptedProvider } from '../../support/provider.ts';
import { providerEnv, writeGraphs } from '../../support/service.ts';
import { echoing } from '../support/calls.ts';
import { until } from '../support/until.ts';
import { GRAPHS } from './graphs.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-openai-'));
const provider = scriptedProvider();
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true });
});

test('a response survives the kill of its process', async () => {
  await writeGraphs(folder, GRAPHS);
  provider.script = echoing({ answer: () => new Promise<Response>(() => {}) });
  const killed = await spawnService(folder, providerEnv(provider.url));
  const before = new OpenAI({ baseURL: `${killed.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const { id } = await before.responses.create({ model: 'echo', input: 'hi', background: true });
  await until(() => provider.requests.length === 1);
  killed.kill('SIGKILL');
  await killed.exited;
  provider.script = echoing();
  const next = await spawnService(folder, providerEnv(provider.url));
  try {
    const after = new OpenAI({ baseURL: `${next.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const events = await Array.fromAsync(
      await after.responses.retrieve(id, { stream: true, starting_after: 1 }),
    );
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index + 2));
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { id, status: 'completed' },
    });
    const { output_text, background } = await after.responses.retrieve(id);
    expect([output_text, background]).toEqual(['re: hi', true]);
  } finally {
    next.kill('SIGTERM');
    await next.exited;
  }
}, 60_000);

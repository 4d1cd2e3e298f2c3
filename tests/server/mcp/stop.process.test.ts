/** A service that stops while tools are called. */
import { expect, onTestFinished, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnService } from '../../support/process.ts';
import { providerEnv } from '../../support/service.ts';
import { echoing } from '../support/calls.ts';
import { runningProvider } from '../support/running.ts';
import { until } from '../support/until.ts';
import { connected, textOf } from './clients.ts';

setDefaultTimeout(60_000);

const provider = runningProvider();
const CALL = { name: 'classification_agent', arguments: { user_prompt: 'hi' } };

test.each(['auto', 'legacy'] as const)(
  'a running call is answered, and a new one is rejected: %s',
  async (mode) => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-mcp-stop-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const held = Promise.withResolvers<void>();
    provider.script = echoing({ answer: () => held.promise.then(() => 'kept') });
    const service = await spawnService(folder, providerEnv(provider.url));
    const [first, second] = [await connected(service.url, { mode }), await connected(service.url, { mode })];
    const running = first.callTool(CALL);
    await until(() => provider.requests.length === 2, 20_000);
    service.kill('SIGTERM');
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 503, 20_000);
    const refused = await second.callTool(CALL);
    expect(refused.isError).toBeTrue();
    expect(textOf(refused)).toStartWith('SHUTTING_DOWN: ');
    held.resolve();
    expect(textOf(await running)).toContain('kept');
    expect(await service.exited).toBe(0);
  },
);

/** A run that continues after a crash has its full deadline again, however long the service was down. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { askState } from '../support/stored-state.ts';
import { textOf, writeWorkflows } from './killed-workflows.ts';

const HOUR_MS = 3_600_000;
const DEADLINE_SECONDS = 2;

const folder = mkdtempSync(join(tmpdir(), 'skein-fresh-deadline-'));
const provider = scriptedProvider();
const services: ServiceProcess[] = [];
afterAll(async () => {
  for (const service of services) {
    service.kill('SIGKILL');
    await service.exited;
  }
  await provider.close();
  rmSync(folder, { recursive: true });
});

const never = () => new Promise<Response>(() => {});

test('a deadline starts again with the process', async () => {
  await writeWorkflows(folder);
  provider.script = never;
  const first = await spawnService(folder, providerEnv(provider.url));
  services.push(first);
  const runs = await Promise.all(
    ['Live.', 'Hang.'].map(async (user_prompt) => {
      const response = await fetch(`${first.url}/api/v1/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'respond-async' },
        body: JSON.stringify({
          user_prompt,
          conversation_flow: 'deadly',
          deadline_seconds: DEADLINE_SECONDS,
        }),
      });
      return ((await response.json()) as { run_id: string }).run_id;
    }),
  );
  await until(() => provider.requests.length === 2, 20_000);
  first.kill('SIGKILL');
  await first.exited;
  await askState(
    folder,
    'UPDATE runs SET created_at = created_at - $1, started_at = started_at - $1',
    HOUR_MS,
  );

  provider.script = (request) =>
    request.messages.at(-1)?.content.includes('Hang') ? never() : textOf(request);
  const started = performance.now();
  const second = await spawnService(folder, providerEnv(provider.url));
  services.push(second);
  const ends = await Promise.all(
    runs.map(async (runId) => {
      const response = await fetch(`${second.url}/api/v1/runs/${runId}/stream`);
      await response.text();
      const run = (await (await fetch(`${second.url}/api/v1/runs/${runId}`)).json()) as {
        status: string;
        error: { error_code: string } | null;
      };
      return [run.status, run.error?.error_code];
    }),
  );
  expect(ends).toEqual([
    ['succeeded', undefined],
    ['failed', 'RUN_TIMEOUT'],
  ]);
  expect(performance.now() - started).toBeGreaterThanOrEqual(DEADLINE_SECONDS * 1_000);
}, 120_000);

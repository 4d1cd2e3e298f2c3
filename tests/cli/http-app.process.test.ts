/** A project's HTTP app in a service process: rejected at startup if it is broken, and drained on SIGTERM. */
import { expect, onTestFinished, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { appFolder } from '../server/http-app/served-app.ts';
import { until } from '../server/support/until.ts';
import { spawnService } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';

// A command is a process, which starts slowly on a busy machine.
setDefaultTimeout(120_000);

function folderOf(app: string): string {
  const folder = appFolder(app);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('an app that cannot be loaded stops the start with exit code 2, and validate reports it', async () => {
  const folder = folderOf(`throw new Error('no key is set');`);
  const sentence = "Validation error in field 'http.app': src/http.ts:app cannot be loaded: no key is set";
  const served = await runCommand(['serve'], folder, { WEB_PORT: '0' });
  expect([served.code, served.errors]).toEqual([2, expect.stringContaining(sentence)]);
  const validated = await runCommand(['validate', '--json'], folder, { WEB_PORT: '0' });
  expect(validated.code).toBe(1);
  expect(JSON.parse(validated.out).checks).toContainEqual(
    expect.objectContaining({ name: 'http app', state: 'failed', found: expect.stringContaining(sentence) }),
  );
});

test('on SIGTERM, its open requests are answered, new ones are rejected, and the probes report it', async () => {
  const folder = folderOf(`
    import { Hono } from 'hono';
    let release = () => {};
    export const app = new Hono()
      .get('/custom/held', async (c) => {
        await new Promise<void>((resolve) => { release = resolve; });
        return c.text('answered');
      })
      .get('/custom/release', (c) => { setTimeout(() => release(), 1_500); return c.text('soon'); });`);
  const service = await spawnService(folder);
  const held = fetch(`${service.url}/custom/held`).then((response) => response.text());
  await fetch(`${service.url}/custom/release`);
  service.kill('SIGTERM');
  await until(async () => (await fetch(`${service.url}/readyz`)).status === 503);
  await until(async () => (await fetch(`${service.url}/custom/release`)).status === 503);
  expect(await held).toBe('answered');
  expect(await service.exited).toBe(0);
});

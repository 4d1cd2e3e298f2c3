/** Many concurrent writers and readers of one prompt file, and a service that is killed while it writes. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../support/bare-environment.ts';
import { testService } from '../../support/service.ts';

const SIZE = 20_000;
const textOf = (n: number) => `${n} `.padEnd(SIZE, String(n % 10));
const isWhole = (text: string) => text === textOf(Number.parseInt(text, 10));

test('200 concurrent updates and 200 reads all succeed, and each read returns one complete version', async () => {
  const service = await testService();
  const path = (verb: string) => `/api/v1/prompts/${verb}/v1/a.md`;
  const update = (n: number) =>
    service.fetch(path('update'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: textOf(n) }),
    });
  await update(0);
  const reads = Array.from({ length: 200 }, async (_, n) => {
    await Bun.sleep(n);
    const response = await service.fetch(path('view'));
    return { etag: response.headers.get('etag'), text: await response.text() };
  });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => update(n + 1)));
  const versions = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { version: number }).version),
  );
  expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 2));
  const texts = new Map<string | null, string>();
  for (const { etag, text } of await Promise.all(reads)) {
    expect(isWhole(text)).toBe(true);
    expect(texts.get(etag) ?? text).toBe(text);
    texts.set(etag, text);
  }
  await service.close();
}, 60_000);

test('a service that is killed during updates leaves the old or the new version, and all acknowledged ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-killed-'));
  const file = join(folder, '.files/prompts/v1/a.md');
  let acknowledged = 0;
  let next = 1;
  for (let cycle = 0; cycle < 8; cycle++) {
    const service = Bun.spawn([process.execPath, join(import.meta.dir, '../../../cli/main.ts'), 'serve'], {
      cwd: folder,
      env: { ...BARE_ENVIRONMENT, WEB_PORT: '0' },
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const url = await listeningAt(service.stdout);
    let killed: Promise<void> | undefined;
    for (let alive = true; alive; ) {
      const n = next++;
      const response = await fetch(`${url}/api/v1/prompts/update/v1/a.md`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: textOf(n) }),
      }).catch(() => undefined);
      if (response?.status === 200) acknowledged = n;
      killed ??= Bun.sleep(Math.random() * 30).then(() => service.kill('SIGKILL'));
      alive = response !== undefined;
    }
    await Promise.all([killed, service.exited]);
    const text = readFileSync(file, 'utf8');
    expect(isWhole(text)).toBe(true);
    expect(Number.parseInt(text, 10)).toBeGreaterThanOrEqual(acknowledged);
  }
  expect(acknowledged).toBeGreaterThan(0);
  rmSync(folder, { recursive: true });
}, 60_000);

async function listeningAt(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of output) {
    text += new TextDecoder().decode(piece);
    const [, port] = /listening on http:\/\/[^:]+:(\d+)/.exec(text) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`the service did not start: ${text}`);
}

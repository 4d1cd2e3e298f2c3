/** A service and `skein kb` with documents and an index in a bucket: start, outages of the store, and messages. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { spawnCommand, spawnService } from '../support/process.ts';
import { runCommand } from '../support/run-command.ts';
import { startS3Server } from '../support/s3-server.ts';
import { WITHOUT_SAMPLES } from '../support/service.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

const s3 = await startS3Server();
await s3?.makeBucket('shop');
const folder = mkdtempSync(join(tmpdir(), 'skein-knowledge-store-'));
afterAll(async () => {
  await s3?.kill();
  rmSync(folder, { recursive: true });
});

/** The settings of one service. */
const place = () => mkdtempSync(join(folder, 'service-'));

const KEY = 'not-so-public-key-id';
const SECRET = 'do-not-tell-this-secret';
const SECONDS = 30_000;

const env = (endpoint: string, prefix: string, bucket = 'shop'): Record<string, string> => ({
  ...WITHOUT_SAMPLES,
  SERVICE_KNOWLEDGE_BASE__DOCUMENTS_PATH: `s3://${bucket}/${prefix}/docs`,
  SERVICE_KNOWLEDGE_BASE__INDEX_PATH: `s3://${bucket}/${prefix}/index`,
  SERVICE_KNOWLEDGE_BASE__ENDPOINT: endpoint,
  AWS_ACCESS_KEY_ID: KEY,
  AWS_SECRET_ACCESS_KEY: SECRET,
});

/** A proxy to the store that can be cut off. */
async function way(target: string, port = 0) {
  const sockets = new Set<Socket>();
  const server = createServer((here) => {
    const there = connect(Number(new URL(target).port), '127.0.0.1');
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(port, '127.0.0.1', resolve);
  await promise;
  const { port: own } = server.address() as AddressInfo;
  return {
    port: own,
    url: `http://127.0.0.1:${own}`,
    async cut() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A store that rejects every request with the same status. */
function refusing(status: number, code: string) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${KEY}</Message></Error>`, {
        status,
      }),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

describe.skipIf(!s3)('with a server', () => {
  test('errors of an unreachable store name its setting; the service recovers when the store is back', async () => {
    let open = await way(s3?.endpoint ?? '');
    const { port } = open;
    const service = await spawnService(place(), env(open.url, 'away'));
    const api = (path: string, init?: RequestInit) => fetch(`${service.url}/api/v1${path}`, init);
    const upload = (name: string, body: string) =>
      api(`/knowledge/documents/${name}`, { method: 'PUT', body });
    const search = (query: string) =>
      api('/knowledge/search', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
    expect((await upload('gizmo.md', 'The gizmo squeaks.')).status).toBe(201);
    await open.cut();
    const refused = await upload('widget.md', 'The widget rattles.');
    const body = (await refused.json()) as { error_code: string; detail: string };
    expect([refused.status, body.error_code]).toEqual([500, 'DATABASE_CONNECTION_FAILED']);
    expect(body.detail).toMatch(/^knowledge_base\.documents_path: the store cannot be reached/);
    const listed = await api('/knowledge/documents/gizmo.md');
    expect(listed.status).toBe(500);
    const searched = await search('gizmo squeaks');
    if (searched.status !== 200) expect(await searched.text()).toContain('knowledge_base.index_path');
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    open = await way(s3?.endpoint ?? '', port);
    await until(async () => {
      const again = await search('gizmo squeaks');
      return again.status === 200 && ((await again.json()) as { found: boolean }).found;
    }, SECONDS);
    await until(async () => (await upload('widget.md', 'The widget rattles.')).status < 300, SECONDS);
    const said = `${await (await api('/diagnostic')).text()}${await (await api('/health')).text()}`;
    service.kill('SIGTERM');
    await service.exited;
    await open.cut();
    for (const secret of [KEY, SECRET, 'X-Amz'])
      for (const text of [service.output(), said, JSON.stringify(body)]) expect(text).not.toContain(secret);
    expect(said).toContain('s3://shop/away/docs');
  });

  test('a store that is unreachable at the start does not stop it', async () => {
    const first = await way(s3?.endpoint ?? '');
    await first.cut();
    const service = await spawnService(place(), env(first.url, 'late'));
    const back = await way(s3?.endpoint ?? '', first.port);
    const put = () =>
      fetch(`${service.url}/api/v1/knowledge/documents/a.md`, { method: 'PUT', body: 'The gizmo squeaks.' });
    await until(async () => (await put()).status < 300, SECONDS);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    await back.cut();
  });

  test('skein kb adds, lists, searches and removes while services run, and lets them rebuild the index', async () => {
    const at = env(s3?.endpoint ?? '', 'commands');
    const kb = (...args: string[]) => runCommand(['kb', ...args], folder, at);
    writeFileSync(join(folder, 'bells.md'), 'A bell is rung with the thumb.');
    expect(await kb('add', 'bells.md')).toMatchObject({ code: 0, out: expect.stringContaining('indexing') });
    expect((await kb('list')).out).toMatch(/^indexing .*bells\.md\n$/);
    const service = await spawnService(place(), at);
    await until(async () => (await kb('list')).out.startsWith('indexed'), SECONDS);
    expect((await kb('search', 'how is a bell rung?')).out).toContain('with the thumb');
    expect(JSON.parse((await kb('status', '--json')).out)).toMatchObject({
      documents_path: 's3://shop/commands/docs',
      index_path: 's3://shop/commands/index',
      indexed: 1,
    });
    const catalog = async () =>
      ((await s3?.keys('shop')) ?? [])
        .filter((key) => /^commands\/index.*passages-/.test(key))[0]
        ?.split('/')[3];
    const before = await catalog();
    expect(await kb('reindex')).toMatchObject({ code: 0, out: expect.stringContaining('is removed') });
    await until(async () => ![undefined, before].includes(await catalog()), SECONDS);
    expect(await kb('remove', 'bells.md')).toMatchObject({ code: 0 });
    await until(async () => (await kb('list')).out.includes('contains no documents'), SECONDS);
    service.kill('SIGTERM');
    await service.exited;
  });

  test('documents in a bucket can have an index in a folder', async () => {
    const at = { ...env(s3?.endpoint ?? '', 'mixed'), SERVICE_KNOWLEDGE_BASE__INDEX_PATH: './mixed-index' };
    await s3?.put('shop', 'mixed/docs/sub/bells.md', 'A bell is rung with the thumb.');
    const found = await runCommand(['kb', 'search', 'how is a bell rung?'], folder, at);
    expect(found.out).toContain('sub/bells.md');
  });

  test('skein validate reports what is in a store', async () => {
    await s3?.put('shop', 'validated/docs/a.md', 'text');
    const { out } = await runCommand(['validate'], folder, env(s3?.endpoint ?? '', 'validated'));
    expect(out).toContain('s3://shop/validated/docs: 1 document, index in s3://shop/validated/index');
    const none = await runCommand(['validate'], folder, env(s3?.endpoint ?? '', 'x', 'no-such-bucket'));
    expect(none.out).toContain('the bucket or container does not exist (NoSuchBucket)');
  });
});

test.each([
  [403, 'SignatureDoesNotMatch', 'the store rejects the credentials'],
  [404, 'NoSuchBucket', 'the bucket or container does not exist'],
])(
  'a store that answers %d stops the start with an error that names the setting and shows no secret',
  async (status, code, reason) => {
    const store = refusing(status, code);
    const child = spawnCommand(
      ['serve', '--port', '0', '--host', '127.0.0.1'],
      place(),
      env(store.url, 'refused'),
    );
    await Promise.all([child.errors, Array.fromAsync(child.lines)]);
    expect(await child.exited).toBe(2);
    expect(child.output()).toContain(`knowledge_base.documents_path': ${reason} (${code})`);
    for (const secret of [KEY, SECRET]) expect(child.output()).not.toContain(secret);
    store.stop();
  },
);

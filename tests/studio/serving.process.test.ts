/** The studio's files over HTTP: the page at every address, hashed files below /studio/assets. */
import { expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { protectedConfig } from '../server/support/credentials.ts';
import { answerOf, expectRefused } from '../server/support/refused.ts';
import { runningProvider, runningService } from '../server/support/running.ts';

const provider = runningProvider();
const service = runningService(provider, protectedConfig());

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.fetch(path, { headers, method, redirect: 'manual', decompress: false } as RequestInit);

const plain = { 'accept-encoding': 'identity' };

/** The files that the page names. */
async function named(): Promise<string[]> {
  const page = await (await ask('/studio', plain)).text();
  return Array.from(page.matchAll(/(?:src|href)="(\/studio\/assets\/[^"]+)"/g), ([, path]) => path ?? '');
}

test('the root redirects to the studio', async () => {
  const { status, headers } = await ask('/');
  expect({ status, location: headers.get('location') }).toEqual({ status: 302, location: '/studio' });
});

test('every address of the studio serves the page, without credentials', async () => {
  const pages = await Promise.all(
    ['/studio', '/studio/', '/studio/threads/a%3Ab', '/studio/runs/x', '/studio/nowhere'].map(
      async (path) => {
        const response = await ask(path, plain);
        return {
          status: response.status,
          type: response.headers.get('content-type'),
          page: await response.text(),
        };
      },
    ),
  );
  expect(pages[0]).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
  expect(pages[0]?.page).toContain('<div id="root">');
  for (const page of pages) expect(page).toEqual(pages[0] as (typeof pages)[0]);
});

test('the page may only run its own scripts, and only connects to the service', async () => {
  const response = await ask('/studio', plain);
  const policy = new Map(
    (response.headers.get('content-security-policy') ?? '')
      .split('; ')
      .map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1)] as const),
  );
  expect(policy.get('default-src')).toEqual(["'none'"]);
  expect(policy.get('script-src')).toEqual(["'self'"]);
  expect(policy.get('style-src')).toEqual(["'self'"]);
  expect(policy.get('connect-src')).toEqual(["'self'"]);
  expect([...policy.values()].flat().join(' ')).not.toMatch(/unsafe|http|\*/);
  const page = await response.text();
  expect(page).not.toMatch(
    /<script(?![^>]* src="\/studio\/assets\/)|<style|\son\w+=|https?:\/\/(?!www\.w3\.org)/,
  );
});

test('hashed files are cached forever, and the page is revalidated', async () => {
  const page = await ask('/studio');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const etag = page.headers.get('etag') ?? '';
  expect((await ask('/studio', { 'if-none-match': etag })).status).toBe(304);
  expect((await ask('/studio', { 'if-none-match': '"other"' })).status).toBe(200);
  const [file = ''] = await named();
  const { status, headers } = await ask(file);
  expect({ status, cache: headers.get('cache-control') }).toEqual({
    status: 200,
    cache: 'public, max-age=31536000, immutable',
  });
  expect((await ask(file, { 'if-none-match': `W/${headers.get('etag')}` })).status).toBe(304);
});

test('each encoding decodes to the same bytes', async () => {
  const [file = ''] = (await named()).filter((path) => path.endsWith('.js'));
  const bytesOf = async (encoding: string) => {
    const response = await ask(file, { 'accept-encoding': encoding });
    return {
      encoding: response.headers.get('content-encoding'),
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  };
  const [none, gzip, br, refusing] = await Promise.all([
    bytesOf('identity'),
    bytesOf('gzip, deflate'),
    bytesOf('gzip, deflate, br'),
    bytesOf('br;q=0, gzip;q=0.5'),
  ]);
  expect([none.encoding, gzip.encoding, br.encoding, refusing.encoding]).toEqual([
    null,
    'gzip',
    'br',
    'gzip',
  ]);
  expect(gunzipSync(gzip.bytes)).toEqual(Buffer.from(none.bytes));
  expect(brotliDecompressSync(br.bytes)).toEqual(Buffer.from(none.bytes));
});

test('the files of a first visit stay under 400 KB', async () => {
  const all = new Set(['/studio']);
  for (const path of await named()) {
    all.add(path);
    const text = await (await ask(path, plain)).text();
    // Only static imports of a script; the others are loaded when a page needs them.
    for (const [, name] of text.matchAll(/from"\.\/([\w.-]+\.js)"|import"\.\/([\w.-]+\.js)"/g))
      all.add(`/studio/assets/${name}`);
  }
  expect(all.size).toBeGreaterThan(2);
  let bytes = 0;
  for (const path of all)
    bytes += (await (await ask(path, { 'accept-encoding': 'gzip' })).arrayBuffer()).byteLength;
  expect(bytes).toBeLessThan(400_000);
});

test('unknown files are answered with the usual 404', async () => {
  for (const path of ['/studio/assets/', '/studio/assets/none.js', '/studio/assets/..%2f..%2fpackage.json']) {
    expectRefused(await answerOf(ask(path)), 404, 'NOT_FOUND');
  }
  expectRefused(await answerOf(ask('/studio', {}, 'POST')), 405, 'METHOD_NOT_ALLOWED');
  const head = await ask('/studio', {}, 'HEAD');
  expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
});

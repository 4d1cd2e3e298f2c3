import { expect, test } from 'bun:test';
import { brotliDecompressSync } from 'node:zlib';
import { runningProvider, runningService } from '../support/running.ts';

const service = runningService(runningProvider());

test('a file of the studio is sent with the compression from bundling', async () => {
  const page = await service.fetch('/studio', {
    headers: { 'accept-encoding': 'gzip, br' },
    decompress: false,
  } as RequestInit);
  expect(page.headers.get('content-encoding')).toBe('br');
  expect(Buffer.from(brotliDecompressSync(await page.bytes())).toString()).toContain('<div id="root">');
}, 120_000);

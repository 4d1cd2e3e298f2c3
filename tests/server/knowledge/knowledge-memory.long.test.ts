/** The memory that hostile uploads cost the service's own process. The limits leave room for a busy machine. */
import { afterAll, afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '../../support/process.ts';

setDefaultTimeout(300_000);

const MIB = 1024 * 1024;
const root = mkdtempSync(join(tmpdir(), 'skein-memory-'));
let service: ServiceProcess;

beforeEach(async () => {
  service = await spawnService(mkdtempSync(join(root, 'service-')));
  // A first document loads all lazy modules.
  await put('usual.md', '# Bells\n\nA bell is rung with the thumb.');
});
afterEach(async () => {
  service.kill('SIGKILL');
  await service.exited;
});
afterAll(() => rmSync(root, { recursive: true }));

async function put(name: string, body: string) {
  const response = await fetch(`${service.url}/api/v1/knowledge/documents/${name}`, { method: 'PUT', body });
  return (await response.json()) as { state: string; chunks: number; error?: string };
}

/** Resident memory without mapped files. */
function residentMiB(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** The maximum growth during the work. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = residentMiB();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMiB());
  }, 10);
  await work();
  clearInterval(timer);
  return Math.max(most, residentMiB()) - before;
}

describe.if(process.platform === 'linux')('the service grows little by', () => {
  test('a CSV of 200,000 columns', async () => {
    const row = (cell: (at: number) => string) =>
      Array.from({ length: 200_000 }, (_, at) => cell(at)).join(',');
    const csv = `${row((at) => `c${at}`)}\n${row(() => '1')}`;
    const growth = await growthOf(async () => {
      expect(await put('wide.csv', csv)).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('more than 1000 columns'),
      });
    });
    expect(growth).toBeLessThan(64);
  });

  test('a document of one word', async () => {
    const growth = await growthOf(async () => {
      expect(await put('word.txt', 'a'.repeat(19 * MIB))).toMatchObject({
        state: 'failed',
        error: 'It has more than 10000 passages: split it into several documents',
      });
    });
    expect(growth).toBeLessThan(100);
  });

  test('the largest document that is indexed', async () => {
    const growth = await growthOf(async () => {
      const text = 'The quick brown fox jumps over the lazy dog. '.repeat((6 * MIB) / 45);
      expect(await put('large.txt', text)).toMatchObject({ state: 'indexed' });
    });
    expect(growth).toBeLessThan(140);
  });

  test('eight concurrent uploads of the maximum size', async () => {
    const text = 'word '.repeat((19 * MIB) / 5);
    const growth = await growthOf(() =>
      Promise.all(Array.from({ length: 8 }, (_, at) => put(`${at}.txt`, text))),
    );
    expect(growth).toBeLessThan(350);
  });
});

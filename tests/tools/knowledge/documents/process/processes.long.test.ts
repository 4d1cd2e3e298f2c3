/** The processes that read documents: started, kept and ended, whatever happens to a document or to the service. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  openReader,
  type ReaderOptions,
} from '../../../../../tools/knowledge/documents/process/open-reader.ts';
import type { DocumentReader } from '../../../../../tools/knowledge/documents/reader.ts';
import { residentBytes } from '../../../../../tools/processes/resident-memory.ts';
import { bytesOf, pdfOf } from '../files.ts';

// Processes and their parsers take a while to start on a busy machine.
setDefaultTimeout(60_000);

const linux = test.if(process.platform === 'linux');
const opened: DocumentReader[] = [];

afterEach(async () => {
  for (const reader of opened.splice(0)) await reader.close();
});

function open(options?: ReaderOptions): DocumentReader {
  const reader = openReader(options);
  opened.push(reader);
  return reader;
}

/** A CSV that takes minutes. */
const ENDLESS = bytesOf(`a,b\n${'"x"\n'.repeat(4_000_000)}`);

linux('a process is reused for texts, but not for PDFs', async () => {
  const reader = open({ processes: 1 });
  await reader.read('a.txt', bytesOf('One.'));
  const first = readersOf(process.pid);
  await reader.read('b.md', bytesOf('Two.'));
  expect(readersOf(process.pid)).toEqual(first);
  await reader.read('c.pdf', pdfOf(['Three.']));
  await until(() => readersOf(process.pid).length === 0);
  expect((await reader.read('d.txt', bytesOf('Four.'))).chunks).toHaveLength(1);
});

linux('a process gets no environment, and has a lower priority than the service', async () => {
  const reader = open({ processes: 1 });
  await reader.read('a.txt', bytesOf('One.'));
  const [pid] = readersOf(process.pid);
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  expect(environment).toEqual(['BUN_RUNTIME_TRANSPILER_CACHE_PATH=0']);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
  expect(Number(stat?.[16])).toBeGreaterThanOrEqual(5);
});

linux('a process works in its own empty folder, which is removed with it', async () => {
  const reader = open({ processes: 1 });
  await reader.read('a.html', bytesOf('<p>One.'));
  const [pid] = readersOf(process.pid);
  const folder = readlinkSync(`/proc/${pid}/cwd`);
  expect(folder).toStartWith(tmpdir());
  expect(readdirSync(folder)).toEqual([]);
  await reader.close();
  expect(existsSync(folder)).toBe(false);
});

linux('a process that is killed fails only its document', async () => {
  const reader = open({ processes: 1 });
  await reader.read('a.txt', bytesOf('One.'));
  const [pid] = readersOf(process.pid);
  if (!pid) throw new Error('there is no process');
  const reading = reader.read('b.csv', ENDLESS);
  process.kill(pid, 'SIGKILL');
  await expect(reading).rejects.toMatchObject({ name: 'UnreadableDocument', mayPass: true });
  expect((await reader.read('c.txt', bytesOf('Three.'))).chunks).toHaveLength(1);
});

linux('an aborted signal ends a read with its reason, and ends the process', async () => {
  const reader = open({ processes: 1 });
  const controller = new AbortController();
  const outcomes = Promise.allSettled([
    reader.read('a.csv', ENDLESS, controller.signal),
    reader.read('b.txt', bytesOf('Next.'), controller.signal),
  ]);
  await until(() => readersOf(process.pid).length === 1);
  controller.abort(new Error('enough'));
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: new Error('enough') });
  await until(() => readersOf(process.pid).length === 0);
  expect((await reader.read('c.txt', bytesOf('Two.'))).chunks).toHaveLength(1);
});

linux.each(['at once', 'later'])('closing %s rejects running and waiting reads', async (when) => {
  const reader = openReader({ processes: 1 });
  const all = [reader.read('a.csv', ENDLESS), reader.read('b.txt', bytesOf('Next.'))];
  const outcomes = Promise.allSettled(all);
  if (when === 'later') await until(() => readersOf(process.pid).length === 1);
  await reader.close();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SHUTTING_DOWN' } });
  await expect(reader.read('c.txt', bytesOf('x'))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(readersOf(process.pid)).toEqual([]);
});

test('many concurrent documents are read without being mixed up', async () => {
  const reader = open();
  const texts = Array.from({ length: 60 }, (_, at) => `This is number ${at}.`);
  const read = await Promise.all(texts.map((text, at) => reader.read(`${at}.md`, bytesOf(text))));
  expect(read.map(({ chunks }) => chunks.map(({ text }) => text))).toEqual(texts.map((text) => [text]));
});

test('a document is sent in parts, each after the previous one was processed', async () => {
  const reader = open({ processes: 1 });
  const text = 'The chain needs oil. '.repeat(20_000);
  const complete = await reader.read('a.txt', bytesOf(text));
  const read: typeof complete = { chunks: [], parents: [] };
  let taking = 0;
  let most = 0;
  let parts = 0;
  await reader.readInto(
    async ({ chunks, parents }) => {
      parts++;
      most = Math.max(most, ++taking);
      await nextTurn();
      expect(chunks.length + parents.length).toBeLessThanOrEqual(64);
      read.chunks.push(...chunks);
      read.parents.push(...parents);
      taking--;
    },
    'a.txt',
    bytesOf(text),
  );
  expect(read).toEqual(complete);
  expect(parts).toBeGreaterThan(5);
  expect(most).toBe(1);
});

linux('a process that gets little processor time is not ended', async () => {
  const reader = open({ processes: 1, readSeconds: 2 });
  await reader.read('a.txt', bytesOf('One.'));
  const [pid] = readersOf(process.pid);
  if (!pid) throw new Error('there is no process');
  process.kill(pid, 'SIGSTOP');
  const reading = reader.read('b.txt', bytesOf('The chain needs oil. '.repeat(2_000)));
  await Bun.sleep(3_000);
  process.kill(pid, 'SIGCONT');
  expect((await reading).chunks.length).toBeGreaterThan(10);
});

linux('an error of a part ends its document and the process, but not the next document', async () => {
  const reader = open({ processes: 1 });
  const text = bytesOf('The chain needs oil. '.repeat(20_000));
  const full = () => Promise.reject(new Error('the disk is full'));
  await expect(reader.readInto(full, 'a.txt', text)).rejects.toThrow('the disk is full');
  await until(() => readersOf(process.pid).length === 0);
  expect((await reader.read('b.txt', bytesOf('Two.'))).chunks).toHaveLength(1);
});

test('the event loop is not blocked while a large document is sent', async () => {
  const reader = open();
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { chunks } = await reader.read('a.txt', bytesOf('The chain needs oil. '.repeat(200_000)));
  clearInterval(timer);
  expect(chunks.length).toBeGreaterThan(5_000);
  expect(turns).toBeGreaterThan(3);
});

linux('a process exits when the service is killed, even while it reads a document', async () => {
  const script = `
    import { openReader } from ${JSON.stringify(join(import.meta.dir, '../../../../../tools/knowledge/documents/process/open-reader.ts'))};
    const reader = openReader({ processes: 1, maxMemory: 4e9 });
    void reader.read('a.csv', new TextEncoder().encode('a,b\\n' + '"x"\\n'.repeat(4_000_000)));
    await Bun.sleep(3_600_000);`;
  const service = Bun.spawn([process.execPath, '-e', script], { stdio: ['ignore', 'ignore', 'ignore'] });
  // The process has the whole document and is reading it.
  await until(() => readersOf(service.pid).some((pid) => residentBytes(pid) > 130_000_000));
  const [reader] = readersOf(service.pid);
  const folder = readlinkSync(`/proc/${reader}/cwd`);
  service.kill('SIGKILL');
  await service.exited;
  await until(() => !isRunning(reader));
  expect(existsSync(folder)).toBe(false);
});

/** The reader processes that this process has started. */
function readersOf(parent: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    const [command, status] = [contentOf(pid, 'cmdline'), contentOf(pid, 'status')];
    return (
      command.includes('documents/process/process.ts') && new RegExp(`^PPid:\\s+${parent}$`, 'm').test(status)
    );
  });
}

function isRunning(pid: number | undefined): boolean {
  return pid !== undefined && contentOf(pid, 'cmdline').includes('documents/process/process.ts');
}

function contentOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

async function until(holds: () => boolean): Promise<void> {
  const limit = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > limit) throw new Error('it never came true');
    await Bun.sleep(10);
  }
}

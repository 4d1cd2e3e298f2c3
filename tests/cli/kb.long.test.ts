/** `skein kb` as a process, alone and while a service has the index open. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineOf, progressBar } from '../../cli/terminal/progress-bar.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-kb-test-'));
  await Bun.write(join(folder, 'gizmo.md'), '# Gizmos\n\nA gizmo squeaks when it is dry.\n');
  await Bun.write(join(folder, 'broken.pdf'), 'no PDF');
  await Bun.write(join(folder, 'program.exe'), 'MZ');
});
afterAll(() => rmSync(folder, { recursive: true }));

const NO_SAMPLES = { SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false' };

async function kb(...args: string[]) {
  const child = spawnCommand(['kb', ...args], folder, NO_SAMPLES);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

test('documents are added, listed, searched, indexed again and removed', async () => {
  expect((await kb('list')).output).toMatch(/knowledge_base contains no documents\n$/);
  const added = await kb('add', 'gizmo.md', 'broken.pdf', 'program.exe', 'absent.md');
  expect(added.code).toBe(1);
  expect(added.output).toContain('indexed       1 passage        42 bytes  gizmo.md\n');
  expect(added.output).toMatch(/failed {7}0 passages {9}6 bytes {2}broken\.pdf: .*PDF/);
  expect(added.output).toMatch(/program\.exe: name: expected letters/);
  expect(added.output).toContain('absent.md: no such file');
  const found = await kb('search', 'why', 'does', 'my', 'gizmo', 'squeak?', '--limit', '1');
  expect(found).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^gizmo\.md, Gizmos {2}\(cosine 0\.\d+/),
  });
  const json = JSON.parse((await kb('search', 'parliament', '--json')).output);
  expect(json).toMatchObject({ found: false, passages: [{ document: 'gizmo.md', heading: 'Gizmos' }] });
  expect((await kb('remove', 'broken.pdf')).code).toBe(0);
  expect(await kb('remove', '../gizmo.md')).toMatchObject({
    code: 1,
    output: '../gizmo.md: document does not exist\n',
  });
  const rebuilt = await kb('reindex', '--log-level', 'error');
  expect(rebuilt).toMatchObject({ code: 0, output: expect.stringContaining('the index is being rebuilt\n') });
  expect(JSON.parse((await kb('status', '--json')).output)).toMatchObject({
    ...{ held_by_service: false, indexed: 1, indexing: 0, failed: 0, passages: 1 },
  });
});

test('an invalid command line is rejected with exit code 2', async () => {
  for (const args of [[], ['nope'], ['add'], ['list', 'x'], ['search', 'x', '--limit', '0']])
    expect((await kb(...args)).code).toBe(2);
});

test('an unusable folder is reported with the reason', async () => {
  const documents = join(folder, 'gizmo.md', 'documents');
  const env = { ...NO_SAMPLES, SERVICE_KNOWLEDGE_BASE__DOCUMENTS_PATH: documents };
  const child = spawnCommand(['kb', 'list'], folder, {
    ...env,
    SERVICE_KNOWLEDGE_BASE__INDEX_PATH: join(folder, 'other-index'),
  });
  expect((await child.errors).join('')).toBe(`${documents}: one of its folders is a file\n`);
  expect(await child.exited).toBe(1);
});

describe('while a service runs', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await spawnService(folder, NO_SAMPLES);
  });
  afterAll(async () => {
    service.kill('SIGTERM');
    await service.exited;
  });

  const question = { query: 'widgets rattle' };
  const search = async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    };
    return (await (await fetch(`${service.url}/api/v1/knowledge/search`, init)).json()) as { found: boolean };
  };
  async function untilFound(found: boolean): Promise<void> {
    const until = Date.now() + 60_000;
    while ((await search()).found !== found) expect(Date.now()).toBeLessThan(until);
  }

  test('files are added and removed, the service sees the changes, and its index is shown', async () => {
    await untilFound(false);
    await Bun.write(join(folder, 'widget.md'), 'Widgets rattle.');
    const added = await kb('add', 'widget.md', '--json');
    expect(added).toMatchObject({ code: 0, output: expect.stringContaining('"state":"indexed"') });
    await untilFound(true);
    expect((await kb('list')).output).toContain('widget.md');
    expect((await kb('search', 'widgets', 'rattle')).output).toStartWith('widget.md');
    expect(JSON.parse((await kb('status', '--json')).output)).toMatchObject({
      ...{ held_by_service: true, indexed: 2, passages: 2 },
    });
    expect((await kb('remove', 'widget.md')).output).toBe('widget.md is removed\n');
    await untilFound(false);
  });

  test("a damaged file is reported immediately, capitals and spaces in names are accepted, and --no-wait doesn't wait", async () => {
    const damaged = await kb('add', 'broken.pdf', '--no-wait');
    expect(damaged).toMatchObject({ code: 1, output: expect.stringMatching(/^failed .*broken\.pdf: .*PDF/) });
    await Bun.write(join(folder, 'Größe 2.TXT'), 'Sprockets hum.');
    expect(await kb('add', 'Größe 2.TXT', '--no-wait')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^indexing .*Größe 2\.txt\n$/),
    });
    expect((await kb('add', 'Größe 2.TXT', '--wait')).output).toMatch(/^indexed .*Größe 2\.txt\n$/);
    expect((await kb('add', 'widget.md', '--wait', '--no-wait')).code).toBe(2);
    expect((await kb('remove', 'broken.pdf', 'Größe 2.txt')).code).toBe(0);
  });

  test('status has the same counts as the HTTP API: indexed, pending, failed, and with problems', async () => {
    await Bun.write(join(folder, '.tmp/knowledge_base/torn.pdf'), 'no PDF');
    await Bun.write(join(folder, '.tmp/knowledge_base/picture.png'), 'PNG');
    const listed = async () => {
      const response = await fetch(`${service.url}/api/v1/knowledge/documents`);
      return ((await response.json()) as { documents: { name: string; state: string; chunks: number }[] })
        .documents;
    };
    const until = Date.now() + 60_000;
    const failed = async () =>
      (await listed()).filter(({ state }) => state === 'failed').map(({ name }) => name);
    while ((await failed()).join() !== 'torn.pdf') expect(Date.now()).toBeLessThan(until);
    const documents = await listed();
    const status = await kb('status', '--json');
    expect(status.code).toBe(1);
    expect(JSON.parse(status.output)).toMatchObject({
      indexed: documents.filter(({ state }) => state === 'indexed').length,
      ...{ indexing: 0, failed: 1, skipped: 1 },
      passages: documents.reduce((sum, { chunks }) => sum + chunks, 0),
    });
    const own = JSON.parse((await kb('list', '--json')).output) as { name: string; state: string }[];
    expect(own.map(({ name, state }) => ({ name, state }))).toEqual(
      documents.map(({ name, state }) => ({ name, state })),
    );
    expect((await kb('remove', 'torn.pdf')).code).toBe(0);
  });

  test('operations that only one process may run say what to do', async () => {
    const { code, output } = await kb('reindex');
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^A running service has this index open\. Stop it first, or delete .*knowledge_index: /,
      ),
    });
    rmSync(join(folder, '.tmp/knowledge_index'), { recursive: true });
    await Bun.write(join(folder, '.tmp/knowledge_base/widget.md'), 'Widgets rattle.');
    await untilFound(true);
    expect(existsSync(join(folder, '.tmp/knowledge_index/catalog.sqlite'))).toBe(true);
  });

  test('a second service with this index does not start, and says why', async () => {
    const other = { ...NO_SAMPLES, SERVICE_CHAT_HISTORY__DATABASE_PATH: './other.db' };
    const child = spawnCommand(['serve', '--port', '0'], folder, other);
    await Promise.all([child.errors, Array.fromAsync(child.lines)]);
    expect(await child.exited).toBe(2);
    expect(child.output()).toContain(
      "Validation error in field 'knowledge_base.index_path': another process",
    );
  });
});

test('the progress of an ingestion is one line on a terminal, and is not shown elsewhere', () => {
  const progress = { documents: 3, remaining: 9, passages: 120 };
  expect(lineOf(progress)).toBe('[######..................] 3 of 12 documents, 120 passages');
  const written: string[] = [];
  const screen = { write: (text: string) => written.push(text), columns: 30 };
  progressBar(screen).show(progress);
  expect(written).toEqual([]);
  const bar = progressBar({ ...screen, isTTY: true });
  bar.show(progress);
  bar.clear();
  bar.clear();
  expect(written).toEqual(['\r\u001b[K[######..................] 3 ', '\r\u001b[K']);
});

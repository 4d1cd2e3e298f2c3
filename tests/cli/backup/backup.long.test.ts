/** `skein backup` while a service is busy, and `skein restore` into another folder. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../../state/sqlite/file/schema.ts';
import { type ServiceProcess, spawnService } from '../../support/process.ts';
import { runCommand } from '../../support/run-command.ts';
import { ON_POSTGRES } from '../../support/test-state.ts';

setDefaultTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'skein-backup-'));
const source = join(root, 'source');
const saved = join(root, 'saved');
afterAll(() => rmSync(root, { recursive: true }));

const JSON_TYPE = { 'content-type': 'application/json' };

async function call(url: string, method: string, path: string, body?: object | string) {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: typeof body === 'object' ? JSON_TYPE : {},
  });
  return { status: response.status, text: await response.text() };
}

const ask = (url: string, thread_id: string, user_prompt: string) =>
  call(url, 'POST', 'chat', { conversation_flow: 'classification-agent', thread_id, user_prompt });

async function promptsOf(url: string, thread: string): Promise<string[]> {
  const { text } = await call(url, 'GET', `threads/${thread}/messages?limit=100`);
  const { messages } = JSON.parse(text) as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}

/** Every file below a folder with its digest, except lock files, which are empty. */
function filesOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || entry.name.endsWith('-lock')) continue;
    const path = join(entry.parentPath, entry.name);
    found[path.slice(folder.length + 1)] = createHash('sha256').update(readFileSync(path)).digest('hex');
  }
  return found;
}

function newFolder(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.yml'), '');
  return folder;
}

describe.skipIf(ON_POSTGRES)('of a service with its state in a file', () => {
  let service: ServiceProcess;
  const acknowledged: string[] = [];

  beforeAll(async () => {
    newFolder('source');
    writeFileSync(join(source, 'bikes.csv'), 'name,price\nCargo,2400\nCity,900\n');
    expect(await runCommand(['db', 'import', 'bikes.csv'], source)).toMatchObject({ code: 0 });
    service = await spawnService(source);
    await call(service.url, 'PUT', 'knowledge/documents/rules.md', '# Rules\n\nHelmets are worn on tours.\n');
    for (const content of ['first', 'second'])
      await call(service.url, 'POST', 'prompts/update/v1/notes.txt', { content });
    await call(service.url, 'POST', 'datasets/shop/cases', { prompt: 'Hello', expect: { exact: 'Hi' } });
  });
  afterAll(async () => {
    service.kill('SIGKILL');
    await service.exited;
  });

  test('a backup during turns has every turn acknowledged before, and every file with its digest', async () => {
    let isOver = false;
    const lane = async (name: string) => {
      for (let n = 0; !isOver; n++) {
        const prompt = `Question ${n} of ${name}`;
        expect((await ask(service.url, name, prompt)).status).toBe(200);
        acknowledged.push(`${name}/${prompt}`);
      }
    };
    const lanes = ['one', 'two', 'three'].map(lane);
    while (acknowledged.length < 12) await Bun.sleep(10);
    const before = [...acknowledged];
    symlinkSync('/etc/hostname', join(source, '.files/prompts/link.txt'));
    const { code, out, errors } = await runCommand(['backup', saved], source);
    isOver = true;
    await Promise.all(lanes);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toContain('left out: prompts/link.txt');
    expect(out).toMatch(/^documents {2}1 file, /m);
    expect(out).toContain(`Saved to ${saved}: `);
    expect(acknowledged.length).toBeGreaterThan(before.length);

    const manifest = JSON.parse(readFileSync(join(saved, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      schema_version: MIGRATIONS.length,
      parts: ['state', 'prompts', 'documents', 'datasets', 'database'],
      format: 2,
    });
    const { 'manifest.json': _, ...files } = filesOf(saved);
    const listed = manifest.files.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]);
    expect(Object.fromEntries(listed)).toEqual(files);
    expect(statSync(saved).mode & 0o777).toBe(0o700);
    const db = new Database(join(saved, 'state/skein.db'), { readonly: true });
    expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const query = db.query<{ prompt: string }, []>(
      `SELECT t.thread_id || '/' || m.content AS prompt FROM messages AS m JOIN threads AS t ON t.key = m.thread
       WHERE m.role = 'user'`,
    );
    const stored = new Set(query.all().map(({ prompt }) => prompt));
    db.close();
    expect(before.filter((prompt) => !stored.has(prompt))).toEqual([]);
  });

  test('after a restore into an empty folder, threads continue, and documents, prompt files and tables are there', async () => {
    const folder = newFolder('other');
    const { code, out } = await runCommand(['restore', saved], folder);
    expect(code).toBe(0);
    expect(out).toContain(': state, prompts, documents, datasets, database');
    expect((await runCommand(['db', 'tables'], folder)).out).toContain('bikes (2 rows)');
    const other = await spawnService(folder);
    try {
      expect((await ask(other.url, 'one', 'And on')).status).toBe(200);
      const prompts = await promptsOf(other.url, 'one');
      expect(prompts[0]).toBe('Question 0 of one');
      expect(prompts.at(-1)).toBe('And on');
      expect((await call(other.url, 'GET', 'prompts/view/v1/notes.txt')).text).toBe('second');
      const history = JSON.parse((await call(other.url, 'GET', 'prompts/history/v1/notes.txt')).text);
      expect(history.versions.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
      expect((await call(other.url, 'GET', 'datasets/shop')).text).toContain('"prompt":"Hello"');
      const found = await call(other.url, 'POST', 'knowledge/search', { query: 'helmets' });
      expect(JSON.parse(found.text).passages[0]).toMatchObject({ document: 'rules.md' });
    } finally {
      other.kill('SIGTERM');
      await other.exited;
    }
    expect((await runCommand(['state', 'check'], folder)).code).toBe(0);
  });

  test('a restore is rejected while a service runs', async () => {
    const { code, errors } = await runCommand(['restore', saved], source);
    expect(code).toBe(2);
    expect(errors).toContain('another process is using this state file. Stop it');
    expect((await ask(service.url, 'one', 'Still there')).status).toBe(200);
  });

  test('the previous files are kept beside the restored ones, and can be used again', async () => {
    const folder = newFolder('before');
    const first = await spawnService(folder);
    await ask(first.url, 'mine', 'Before');
    // The WAL of the killed process has all changes.
    first.kill('SIGKILL');
    await first.exited;
    const { code, out } = await runCommand(['restore', saved], folder);
    expect(code).toBe(0);
    const aside =
      /^The previous files are in (\S+skein\.db\.before-restore-\S+); remove/m.exec(out)?.[1] ?? '';
    const db = new Database(aside);
    expect(db.query('SELECT thread_id FROM threads').all()).toEqual([{ thread_id: 'mine' }]);
    db.close();
    const state = new Database(join(folder, '.tmp/skein.db'), { readonly: true });
    expect(state.query(`SELECT 1 AS n FROM threads WHERE thread_id = 'mine'`).get()).toBeNull();
    state.close();
  });

  describe('an incomplete backup is rejected, and nothing is changed:', () => {
    let folder: string;
    beforeAll(async () => {
      folder = newFolder('untouched');
      const own = await spawnService(folder);
      await ask(own.url, 'mine', 'Mine');
      own.kill('SIGTERM');
      await own.exited;
    });

    /** Updates the manifest's digest as a backup of this version does. */
    function changeManifest(copy: string, change: (manifest: Record<string, unknown>) => void): void {
      const { sha256: _, ...manifest } = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
      change(manifest);
      const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
      writeFileSync(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, sha256 }));
    }

    const DAMAGES: [string, (copy: string) => void, string][] = [
      ['no manifest', (copy) => rmSync(join(copy, 'manifest.json')), 'manifest.json is missing'],
      [
        'half a manifest',
        (copy) => writeFileSync(join(copy, 'manifest.json'), '{"format": 1,'),
        'manifest.json is damaged',
      ],
      [
        'a manifest that lacks a file',
        (copy) => {
          const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'));
          manifest.files.pop();
          writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
        },
        'manifest.json is damaged',
      ],
      [
        'a manifest with a path outside the backup',
        (copy) => changeManifest(copy, (one) => Object.assign(one, { files: [ESCAPE] })),
        'names a file outside the backup',
      ],
      ['a missing file', (copy) => rmSync(join(copy, 'documents/rules.md')), 'documents/rules.md is missing'],
      [
        'a file with one changed byte',
        (copy) => {
          const path = join(copy, 'database/local.duckdb');
          const bytes = readFileSync(path);
          bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
          writeFileSync(path, bytes);
        },
        'database/local.duckdb is damaged',
      ],
      [
        'a newer schema',
        (copy) =>
          changeManifest(copy, (one) => Object.assign(one, { schema_version: MIGRATIONS.length + 1 })),
        'Upgrade Skein',
      ],
      [
        'a newer format',
        (copy) => changeManifest(copy, (one) => Object.assign(one, { format: 3 })),
        'Upgrade Skein',
      ],
    ];
    const ESCAPE = { part: 'prompts', path: 'prompts/../../../x', bytes: 0, sha256: '0'.repeat(64) };

    test.each(DAMAGES)('%s', async (_, damage, reason) => {
      const copy = join(root, 'copy');
      cpSync(saved, copy, { recursive: true });
      damage(copy);
      const before = filesOf(folder);
      const { code, errors } = await runCommand(['restore', copy], folder);
      rmSync(copy, { recursive: true });
      expect(code).toBe(1);
      expect(errors).toContain('cannot be restored, and nothing was changed');
      expect(errors).toContain(reason);
      expect(filesOf(folder)).toEqual(before);
    });
  });

  test("a folder that isn't empty, or is inside the documents, is rejected as the target", async () => {
    const before = filesOf(saved);
    expect((await runCommand(['backup', saved], source)).errors).toContain('is not empty');
    expect(filesOf(saved)).toEqual(before);
    const inside = await runCommand(['backup', '.tmp/knowledge_base/saved'], source);
    expect(inside.errors).toContain('inside a folder that is to be saved');
    expect(existsSync(join(source, '.tmp/knowledge_base/saved'))).toBe(false);
  });

  test('a database that another process writes is not saved partially', async () => {
    const writer = Bun.spawn(
      [
        process.execPath,
        '-e',
        `const { DuckDBInstance } = await import('@duckdb/node-api');
         const db = await DuckDBInstance.create(${JSON.stringify(join(source, '.tmp/sample.duckdb'))});
         await (await db.connect()).run('CREATE TABLE more (a INTEGER)');
         console.log('open'); await Bun.sleep(60_000);`,
      ],
      { cwd: import.meta.dir, stdout: 'pipe' },
    );
    for await (const _ of writer.stdout) break;
    const target = join(root, 'never');
    const { code, errors } = await runCommand(['backup', target], source);
    writer.kill('SIGKILL');
    await writer.exited;
    expect(code).toBe(1);
    expect(errors).toContain('another process uses this file');
    expect(readdirSync(target)).toEqual([]);
  });
});

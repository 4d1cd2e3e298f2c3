/** The endpoints of prompts. */
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { rawSocket } from '../support/raw-socket.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

// Threads and files are slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const service = runningService(provider);

const SHIPPED = 'classification-agent.support_responder.jinja';
let n = 0;
let revision = '';
beforeEach(() => {
  revision = `v${++n}`;
});

const get = (path: string) => service.fetch(`/api/v1/prompts/${path}`);
const json = (path: string) => answerOf(get(path));
const post = (path: string, body: unknown, headers = {}) =>
  answerOf(
    service.fetch(`/api/v1/prompts/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
const update = (file: string, content: string, headers = {}) =>
  post(`update/${revision}/${file}`, { content }, headers);
const view = async (file: string) => (await get(`view/${revision}/${file}`)).text();

test('the list of default has all shipped files, sorted', async () => {
  const { status, body } = await json('list/default');
  expect(status).toBe(200);
  expect(body).toContain(SHIPPED);
  expect(body).toContain('sql-manipulation-agent.sql_manipulation_agent.answer.jinja');
  expect(body).toEqual(body.toSorted());
});

test('an earlier version can be viewed by its number, including the shipped one', async () => {
  await update('a.md', 'first');
  await update('a.md', 'second');
  expect(await (await get(`view/${revision}/a.md?version=1`)).text()).toBe('first');
  expect(await view('a.md')).toBe('second');
  expect(await (await get(`view/default/${SHIPPED}?version=0`)).text()).toContain('You help people');
  expectRefused(await json(`view/${revision}/a.md?version=9`), 404, 'PROMPT_NOT_FOUND');
  for (const version of ['-1', '1.5', 'x', ''])
    expectRefused(await json(`view/${revision}/a.md?version=${version}`), 400, 'INVALID_REQUEST');
});

test('an update creates the file, and view returns its exact bytes', async () => {
  const content = '# Größe 👍\r\n{{ not a template }}\n\n';
  const { status, body } = await update('a.md', content);
  expect(status).toBe(200);
  expect(body).toEqual({
    message: `Prompt file 'a.md' of revision '${revision}' updated as version 1.`,
    filename: 'a.md',
    revision_id: revision,
    version: 1,
  });
  const response = await get(`view/${revision}/a.md`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(response.headers.get('etag')).toMatch(/^"1-[0-9a-f]{32}"$/);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(content));
  expect(readFileSync(join(service.folder, '.files/prompts', revision, 'a.md'), 'utf8')).toBe(content);
  expect((await json(`list/${revision}`)).body).toEqual(['a.md']);
  expect((await json('revisions')).body.revisions).toContainEqual({
    revision_id: revision,
    files: 1,
    source: 'local',
  });
});

test('an update is used by the next model call', async () => {
  revision = 'default';
  await update(SHIPPED, 'UPDATED {{ category.name }}');
  await service.chat({ user_prompt: 'it does not work' });
  const prompts = provider.requests.map(({ messages }) => messages[0]?.content);
  expect(prompts).toContain('UPDATED support');
  expect((await post(`restore/default/${SHIPPED}`, { version: 0 })).body.version).toBe(2);
  expect(await view(SHIPPED)).toContain('You help people with a problem');
});

test('the history has each version, and an earlier one can be restored', async () => {
  for (const text of ['one', 'two', 'three']) await update('a.txt', text);
  const { body } = await json(`history/${revision}/a.txt`);
  expect(body.versions).toEqual(
    [3, 2, 1].map((version) => ({
      version,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      author: 'anonymous',
      size: version === 3 ? 5 : 3,
    })),
  );
  const restored = await post(`restore/${revision}/a.txt`, { version: 1 });
  expect(restored).toMatchObject({ status: 200, body: { version: 4, filename: 'a.txt' } });
  expect(await view('a.txt')).toBe('one');
  expectRefused(await post(`restore/${revision}/a.txt`, { version: 9 }), 404, 'PROMPT_NOT_FOUND');
});

test.each([
  ['the ETag', (etag: string) => etag],
  ['the weak ETag in a list', (etag: string) => `"other", W/${etag}`],
  ['*', () => '*'],
])('a file is not sent again if If-None-Match has %s', async (_, header) => {
  await update('a.md', 'one');
  const path = `/api/v1/prompts/view/${revision}/a.md`;
  const etag = (await service.fetch(path)).headers.get('etag') ?? '';
  const unchanged = await service.fetch(path, { headers: { 'if-none-match': header(etag) } });
  expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([304, etag, '']);
  await update('a.md', 'two');
  const changed = await service.fetch(path, { headers: { 'if-none-match': etag } });
  expect([changed.status, await changed.text()]).toEqual([200, 'two']);
});

test('an update requires the ETag of the current version in If-Match', async () => {
  await update('a.md', 'one');
  const tag = (await get(`view/${revision}/a.md`)).headers.get('etag') ?? '';
  expect((await update('a.md', 'two', { 'if-match': tag })).status).toBe(200);
  const { detail } = expectRefused(
    await update('a.md', 'three', { 'if-match': tag }),
    412,
    'PROMPT_CONFLICT',
  );
  expect(detail).toBe(`prompt file 'a.md' of revision '${revision}'`);
  expect(await view('a.md')).toBe('two');
});

test('an invalid template is rejected with line and column, and the valid one stays', async () => {
  await update('a.jinja', 'good {{ name }}');
  const refused = await update('a.jinja', 'one\n two {% if x %}');
  expect(expectRefused(refused, 400, 'PROMPT_INVALID').detail).toBe(
    `prompt file 'a.jinja' of revision '${revision}': line 2, column 16: a block is not closed`,
  );
  expect(await view('a.jinja')).toBe('good {{ name }}');
});

test("a file that a workflow names can use the variables of that workflow's file", async () => {
  const { detail } = expectRefused(await update(SHIPPED, 'Hi {{ customer }}'), 400, 'PROMPT_INVALID');
  expect(detail).toBe(
    `prompt file '${SHIPPED}' of revision '${revision}': the variable 'customer' is undefined; there are: category`,
  );
  expect((await update(SHIPPED, 'Hi {{ category.name }}')).status).toBe(200);
  expect((await update('other.jinja', 'Hi {{ customer }}')).status).toBe(200);
});

test('render returns the rendered text and saves nothing', async () => {
  await update('a.jinja', 'Hello {{ name }}');
  const render = (body: object) => post(`render/${revision}/a.jinja`, body);
  expect((await render({ variables: { name: '{{ 1 }}' } })).body).toEqual({ text: 'Hello {{ 1 }}' });
  expect((await render({ variables: { name: 'A' }, content: '{{ name }}{{ name }}' })).body.text).toBe('AA');
  expect(expectRefused(await render({ variables: {} }), 400, 'PROMPT_INVALID').detail).toBe(
    `prompt file 'a.jinja' of revision '${revision}': line 1, column 7: the variable 'name' is undefined`,
  );
  const bomb = '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}';
  expect(
    expectRefused(await render({ variables: {}, content: bomb }), 400, 'PROMPT_INVALID').detail,
  ).toContain('250 ms');
  expect(await view('a.jinja')).toBe('Hello {{ name }}');
  expectRefused(await post(`render/${revision}/none.jinja`, { variables: {} }), 404, 'PROMPT_NOT_FOUND');
});

test('health responds while template bombs are rendered', async () => {
  const content = '{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}';
  let refused = 0;
  const bombs = Array.from({ length: 8 }, async () => {
    const answer = await post(`render/${revision}/a.jinja`, { variables: {}, content });
    refused++;
    expectRefused(answer, 400, 'PROMPT_INVALID');
  });
  for (let count = 0; count < 5; count++) expect((await service.fetch('/livez')).status).toBe(200);
  // Each of them takes 250 ms, and health waits for none.
  expect(refused).toBeLessThan(bombs.length);
  await Promise.all(bombs);
});

test('unknown files and revisions are reported by name', async () => {
  for (const path of ['view/nope/a.md', 'history/nope/a.md', 'list/nope']) {
    const { detail } = expectRefused(await json(path), 404, 'PROMPT_NOT_FOUND');
    expect(detail).toContain("revision 'nope'");
    if (path !== 'list/nope') expect(detail).toContain("'a.md'");
  }
});

const UNDECODED = ['%zz.md', '%', '%c0%ae%c0%ae.md', '%ff', 'a%2.md'];
test('a name that cannot be decoded is not found on reading, and rejected on writing', async () => {
  const printed = (name: string) => name.replaceAll('%', '?');
  for (const name of UNDECODED) {
    const place = `prompt file '${printed(name)}' of revision 'v1'`;
    for (const verb of ['view', 'history'])
      expect(expectRefused(await json(`${verb}/v1/${name}`), 404, 'PROMPT_NOT_FOUND').detail).toBe(place);
    const render = await post(`render/v1/${name}`, { variables: {} });
    expect(expectRefused(render, 404, 'PROMPT_NOT_FOUND').detail).toBe(place);
    for (const [verb, body] of WRITES)
      expect(expectRefused(await post(`${verb}/v1/${name}`, body), 400, 'PROMPT_INVALID').detail).toStartWith(
        `${place}: `,
      );
    const inRevision = await json(`view/${name}/a.md`);
    expect(expectRefused(inRevision, 404, 'PROMPT_NOT_FOUND').detail).toContain(
      `revision '${printed(name)}'`,
    );
    expectRefused(await json(`list/${name}`), 404, 'PROMPT_NOT_FOUND');
  }
});

const WRITES = [
  ['update', { content: 'x' }],
  ['restore', { version: 1 }],
  ['render', { variables: {}, content: 'x' }],
] as const;

const BODIES: [unknown, string][] = [
  ['{', 'INVALID_JSON'],
  [{}, 'INVALID_REQUEST'],
  [{ content: 5 }, 'INVALID_REQUEST'],
  [{ content: 'x'.repeat(65_537) }, 'PROMPT_INVALID'],
];
for (const [body, code] of BODIES) {
  test(`a body like ${JSON.stringify(body).slice(0, 20)} is rejected, with the file and the revision`, async () => {
    const { detail } = expectRefused(await post(`update/${revision}/a.md`, body), 400, code);
    expect(detail).toStartWith(`prompt file 'a.md' of revision '${revision}'`);
    expectRefused(await json(`view/${revision}/a.md`), 404, 'PROMPT_NOT_FOUND');
  });
}

test('an invalid name is rejected on writing', async () => {
  for (const [verb, body] of WRITES) {
    const { detail } = expectRefused(await post(`${verb}/${revision}/a.exe`, body), 400, 'PROMPT_INVALID');
    expect(detail).toBe(`prompt file 'a.exe' of revision '${revision}': not a valid name of a prompt file`);
  }
});

test('a failing storage gets 500 with the file and the revision, and no path', async () => {
  writeFileSync(join(service.folder, '.files/prompts', revision), 'a file in its place');
  const { detail } = expectRefused(await update('a.md', 'x'), 500, 'PROMPT_STORAGE_FAILED');
  expect(detail).toStartWith(`prompt file 'a.md' of revision '${revision}'`);
  expect(detail).not.toContain('/');
});

const ATTACKS = [
  '..%2f..%2fsecret.md',
  '%2e%2e%2f%2e%2e%2fsecret.md',
  '..%252f..%252fsecret.md',
  '..%5c..%5csecret.md',
  '..\\..\\secret.md',
  'a.md%00',
  '%00',
  'a.md%00.txt',
  '%c0%ae%c0%ae%c0%afsecret.md',
  '%ef%bc%8e%ef%bc%8e%ef%bc%8fsecret.md',
  '．．／secret.md',
  `${'a'.repeat(300)}.md`,
  '%2fetc%2fpasswd',
  '/etc/passwd',
  '../../secret.md',
  '.history',
  '...md',
  'a..md',
  'a.md%20',
  'con.exe',
];
test('no path leads out of the folder, over a raw socket', async () => {
  await update('a.md', 'x');
  writeFileSync(join(service.folder, 'secret.md'), 'SECRET');
  const before = outside(service.folder);
  for (const attack of ATTACKS) {
    // Valid as the name of a revision, but not of a file.
    const paths = [`${revision}/${attack}`, ...(attack === 'con.exe' ? [] : [`${attack}/a.md`])];
    for (const path of paths) {
      for (const verb of ['view', 'history']) {
        const { body } = await rawGet(`${verb}/${path}`);
        expect([path, body.error_code]).toEqual([path, expect.stringMatching(/NOT_FOUND|INVALID_REQUEST/)]);
      }
      for (const verb of ['update', 'restore', 'dry-run'])
        expect([400, 404, 405]).toContain((await rawPost(`${verb}/${path}`)).status);
    }
  }
  expect(outside(service.folder)).toEqual(before);
});

test('a folder that is replaced by a link during requests leads nowhere', async () => {
  const inside = join(service.folder, '.files/prompts', revision);
  const away = join(service.folder, '.files/prompts/away');
  const elsewhere = join(service.folder, 'elsewhere');
  mkdirSync(elsewhere);
  for (const file of ['a.md', 'b.md']) writeFileSync(join(elsewhere, file), 'SECRET');
  await update('a.md', 'mine');
  symlinkSync(join(elsewhere, 'b.md'), join(inside, 'b.md'));
  symlinkSync('/dev/zero', join(inside, 'zero.md'));
  let asking = true;
  const swapping = (async () => {
    for (; asking; await Bun.sleep(0)) {
      renameSync(inside, away);
      // A writer may have created the folder again in between.
      if (!existsSync(inside)) await symlink(elsewhere, inside).catch(() => {});
      await Bun.sleep(0);
      rmSync(inside, { recursive: true, force: true });
      renameSync(away, inside);
    }
  })();
  const requests = Array.from({ length: 60 }, async () => {
    for (const file of ['a.md', 'b.md', 'zero.md']) {
      expect(await view(file)).not.toContain('SECRET');
      expect((await update(file, 'attack')).status).not.toBe(404);
    }
  });
  await Promise.all(requests).finally(() => (asking = false));
  await swapping;
  expect(readdirSync(elsewhere).sort()).toEqual(['a.md', 'b.md']);
  for (const file of ['a.md', 'b.md']) expect(readFileSync(join(elsewhere, file), 'utf8')).toBe('SECRET');
}, 60_000);

const rawGet = (path: string) => raw(`GET /api/v1/prompts/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);

function rawPost(path: string) {
  const body = '{"content":"attack","version":1,"turns":1}';
  const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  return raw(`POST /api/v1/prompts/${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
}

async function raw(text: string) {
  const socket = await rawSocket(service);
  await socket.send(text);
  return socket.answer().finally(() => socket.close());
}

/** All files except the service's own database, with their content. */
function outside(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.tmp'))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'base64')]));
}

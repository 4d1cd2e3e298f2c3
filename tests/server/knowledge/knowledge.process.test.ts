/** The knowledge base's documents over HTTP: upload, list, read, delete, and validation. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnCommand } from '../../support/process.ts';
import { type TestService, testService } from '../../support/service.ts';
import { ANN, BOB, protectedConfig } from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';

// Documents are read by processes that start slowly on a busy machine.
setDefaultTimeout(120_000);

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await testService({ config: protectedConfig('failed_logins_per_minute: 10000') });
  folder = join(service.folder, '.tmp', 'knowledge_base');
});
afterAll(() => service.close());

const PATH = '/api/v1/knowledge/documents';
const ask = (path: string, init: RequestInit = {}) =>
  service.fetch(path, { ...init, headers: { ...ANN, ...init.headers } });
const put = (name: string, body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
  ask(`${PATH}/${name}`, { method: 'PUT', body, headers });
const remove = (name: string) => ask(`${PATH}/${name}`, { method: 'DELETE' });

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
const json = async (response: Response | Promise<Response>): Promise<any> => (await response).json();

const search = (query: string) =>
  json(
    ask('/api/v1/knowledge/search', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    }),
  );

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

const FORKS = '# Forks\n\nA suspension fork is serviced every fifty hours of riding.\n';

describe('an uploaded document', () => {
  test('is searchable when the response arrives: 201, then 200', async () => {
    const first = await put('forks.md', FORKS);
    expect(first.status).toBe(201);
    expect(await json(first)).toEqual({
      ...{ name: 'forks.md', state: 'indexed', chunks: 1, bytes: FORKS.length },
      ...{ updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), author: 'user:ann' },
    });
    const { found, passages } = await search('How often is a suspension fork serviced?');
    expect(found).toBe(true);
    const [{ document, heading, start, end, text, page }] = passages;
    expect({ document, heading, page }).toEqual({ document: 'forks.md', heading: 'Forks', page: null });
    expect(FORKS.slice(start, end)).toBe(text);
    const changed = FORKS.replace('fifty', 'ninety');
    const second = await put('forks.md', changed);
    expect(second.status).toBe(200);
    expect((await search('How often is a suspension fork serviced?')).passages[0].text).toContain('ninety');
  });

  test('is created by one of several concurrent uploads', async () => {
    const uploads = Array.from({ length: 5 }, (_, n) => put('pumps.md', `A pump has a gauge of ${n} bar.`));
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 201]);
    await remove('pumps.md');
    expect((await put('pumps.md', 'A pump has a hose.')).status).toBe(201);
  });

  test('is returned byte by byte, with headers that keep browsers from rendering it', async () => {
    const page = '<script>alert(1)</script>\r\n<h1>Ü</h1> ';
    await put('page.html', page, { 'content-type': 'text/html' });
    const response = await ask(`${PATH}/page.html`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(page));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-disposition': "attachment; filename*=UTF-8''page.html",
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
  });

  test('can have any content type, even JSON, and needs none', async () => {
    expect((await put('notes.txt', '{"a": 1, "a": 2}', { 'content-type': 'application/json' })).status).toBe(
      201,
    );
    expect(await (await ask(`${PATH}/notes.txt`)).text()).toBe('{"a": 1, "a": 2}');
    expect(
      (await put('form.txt', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(201);
    expect((await put('bytes.txt', new Uint8Array([104, 105, 255, 254]))).status).toBe(201);
  });

  test('is deleted with its passages', async () => {
    await put('pedals.md', 'Pedals have a left-hand thread on the left side.');
    const removed = await remove('pedals.md');
    expect({ status: removed.status, body: await removed.text() }).toEqual({ status: 204, body: '' });
    for (const answer of [await answerOf(remove('pedals.md')), await answerOf(ask(`${PATH}/pedals.md`))])
      expectRefused(answer, 404, 'DOCUMENT_NOT_FOUND');
    const { passages } = await search('left-hand thread of pedals');
    expect(passages.map(({ document }: { document: string }) => document)).not.toContain('pedals.md');
  });

  test('that cannot be read is listed with the reason', async () => {
    const body = await json(put('broken.pdf', '%PDF-1.7 nothing of it'));
    expect(body).toMatchObject({ name: 'broken.pdf', state: 'failed', chunks: 0 });
    expect(body.error).toMatch(/\S/);
    expect(body.error).not.toContain(service.folder);
    await remove('broken.pdf');
  });
});

test('documents are listed by name, page by page', async () => {
  for (const name of ['l-a.md', 'l-b.md', 'l-c.md']) await put(name, `Text of ${name}`);
  const names: string[] = [];
  let cursor = '';
  do {
    const { documents, next_cursor } = await json(ask(`${PATH}?limit=2${cursor && `&cursor=${cursor}`}`));
    expect(documents.length).toBeLessThanOrEqual(2);
    names.push(...documents.map(({ name }: { name: string }) => name));
    cursor = next_cursor ?? '';
  } while (cursor);
  expect(names).toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining(['l-a.md', 'l-b.md', 'l-c.md']));
  expectRefused(await answerOf(ask(`${PATH}?limit=0`)), 400, 'INVALID_REQUEST');
  expectRefused(await answerOf(ask(`${PATH}?cursor=x`)), 400, 'INVALID_REQUEST');
});

test.each([
  ['sub dir/Größe & 100%.md', 'Gr%C3%B6%C3%9Fe%20%26%20100%25.md'],
  ['sub dir/two\nlines \\ "quoted".md', 'two%0Alines%20%5C%20%22quoted%22.md'],
])(
  'a file that was added by hand can have any name and folder, and has no author: %j',
  async (name, saved) => {
    mkdirSync(join(folder, 'sub dir'), { recursive: true });
    await Bun.write(join(folder, name), 'Saddle heights are measured from the crank.');
    const listed = async () => {
      const { documents } = await json(ask(`${PATH}?limit=100`));
      return documents.find((document: { name: string; state: string }) => document.name === name);
    };
    await until(async () => (await listed())?.state === 'indexed');
    expect(await listed()).not.toHaveProperty('author');
    const path = `${PATH}/${encodeURIComponent(name)}`;
    const response = await ask(path);
    expect(await response.text()).toStartWith('Saddle heights');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${saved}`);
    expectRefused(await answerOf(ask(path, { method: 'PUT', body: 'x' })), 400, 'INVALID_REQUEST');
    expect((await ask(path, { method: 'DELETE' })).status).toBe(204);
    expect(readdirSync(join(folder, 'sub dir'))).toEqual([]);
  },
);

test('a file that was added by hand and is too large is listed with the reason, and not sent', async () => {
  await Bun.write(join(folder, 'huge.txt'), 'x');
  truncateSync(join(folder, 'huge.txt'), 20 * 1024 * 1024 + 1);
  expectRefused(await answerOf(ask(`${PATH}/huge.txt`)), 413, 'PAYLOAD_TOO_LARGE');
  expect((await remove('huge.txt')).status).toBe(204);
});

describe('names', () => {
  const BAD = [
    ...['a', 'a.exe', 'a.jinja', '.md', '.hidden.md', '-a.md', 'a..b.md', '%20a.md', 'a.MD'],
    // A lone combining mark, a right-to-left override, an invisible space, and characters that are special in shells.
    ...[
      '%CC%88a.md',
      'a%E2%80%AEb.md',
      'a%E2%80%8Bb.md',
      'a%25.md',
      'a%24b.md',
      'a%3Cb%3E.md',
      'a%22.md',
      'a:b.md',
    ],
    // Longer than a file name can be.
    `${'%E8%A1%A8'.repeat(100)}.md`,
    ...['..%2fa.md', '%2e%2e%2fa.md', '%2fetc%2fpasswd.md', 'a%2fb.md', 'a%5cb.md', 'a%00.md'],
    ...[`${'a'.repeat(129)}.md`, '..%2f..%2fconfig.yml', 'a%0a.md'],
  ];

  test.each(BAD)('%s is rejected on writing, and not found on reading', async (name) => {
    const before = readdirSync(service.folder);
    expectRefused(await answerOf(put(name, 'x')), 400, 'INVALID_REQUEST');
    for (const answer of [await answerOf(ask(`${PATH}/${name}`)), await answerOf(remove(name))])
      expect({ name, status: answer.status, known: KNOWN.includes(answer.body.error_code) }).toEqual({
        ...{ name, status: 404, known: true },
      });
    expect(readdirSync(service.folder)).toEqual(before);
  });
  const KNOWN = ['DOCUMENT_NOT_FOUND', 'NOT_FOUND'];

  test.each([
    'Größe & Maß (2).md',
    '自転車 説明書.md',
    'Инструкция по ремонту.md',
    'دليل الدراجة.md',
    'हिन्दी साइकिल.md',
    "C# [draft], v2+3 it's = a@b ~!.md",
    `${'表'.repeat(80)}.md`,
  ])('%s can be uploaded, found, read and deleted', async (name) => {
    const path = `${PATH}/${encodeURIComponent(name)}`;
    const uploaded = await ask(path, { method: 'PUT', body: 'Mudguards keep the rider dry.' });
    expect(uploaded.status).toBe(201);
    expect(await json(uploaded)).toMatchObject({ name, state: 'indexed', author: 'user:ann' });
    expect(readdirSync(folder)).toContain(name);
    const { passages } = await search('mudguards');
    expect(passages.map(({ document }: { document: string }) => document)).toContain(name);
    const { documents } = await json(ask(`${PATH}?limit=100`));
    expect(documents).toContainEqual(expect.objectContaining({ name, author: 'user:ann' }));
    expect(await (await ask(path)).text()).toBe('Mudguards keep the rider dry.');
    expect((await ask(path, { method: 'DELETE' })).status).toBe(204);
    expect(readdirSync(folder)).not.toContain(name);
  });

  test('a decomposed name is equal to its composed form', async () => {
    const [composed, taken] = ['Öl.md', 'Öl.md'.normalize('NFD')].map(encodeURIComponent);
    expect(await json(put(`${taken}`, 'Oil.'))).toMatchObject({ name: 'Öl.md' });
    expect((await put(`${composed}`, 'More oil.')).status).toBe(200);
    expect(await (await ask(`${PATH}/${taken}`)).text()).toBe('More oil.');
    expect((await remove(`${taken}`)).status).toBe(204);
  });

  test('a name that is not UTF-8 is rejected', async () => {
    expectRefused(await answerOf(put('%ff.md', 'x')), 400, 'INVALID_REQUEST');
    expectRefused(await answerOf(ask(`${PATH}/%ff.md`)), 400, 'INVALID_REQUEST');
  });

  test('an error does not echo the rejected name', async () => {
    const { body } = await answerOf(put('canary-of-a-name.exe', 'x'));
    expect(JSON.stringify(body)).not.toContain('canary');
  });
});

describe('bodies', () => {
  test('20 MiB are accepted, and one byte more is rejected', async () => {
    const most = 20 * 1024 * 1024;
    expectRefused(await answerOf(put('big.txt', new Uint8Array(most + 1))), 413, 'PAYLOAD_TOO_LARGE');
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 21; at++) controller.enqueue(new Uint8Array(1024 * 1024));
        controller.close();
      },
    });
    expectRefused(await answerOf(put('big.txt', stream)), 413, 'PAYLOAD_TOO_LARGE');
    expect(readdirSync(folder)).not.toContain('big.txt');
  });

  test.each(['whole', 'too large'])(
    'is streamed to disk, and only visible when it is complete: %s',
    async (how) => {
      let sent = (_piece: Uint8Array) => {};
      let ended = () => {};
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          sent = (piece) => controller.enqueue(piece);
          ended = () =>
            how === 'whole' ? controller.close() : controller.enqueue(new Uint8Array(20 * 1024 * 1024));
        },
      });
      const unfinished = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));
      const uploaded = put('pieces.md', stream);
      sent(new TextEncoder().encode('A sprocket '));
      const [file] = await until(async () => unfinished().length === 1).then(unfinished);
      await until(async () => statSync(join(folder, file ?? '')).size === 11);
      sent(new TextEncoder().encode('has teeth.'));
      expect(existsSync(join(folder, 'pieces.md'))).toBe(false);
      ended();
      const { status } = await uploaded;
      expect(unfinished()).toEqual([]);
      expect({ status, there: existsSync(join(folder, 'pieces.md')) }).toEqual(
        how === 'whole' ? { status: 201, there: true } : { status: 413, there: false },
      );
      await remove('pieces.md');
    },
  );

  test('an empty one is rejected', async () => {
    const none = new ReadableStream({ start: (controller) => controller.close() });
    expectRefused(await answerOf(put('empty.md', none)), 400, 'INVALID_REQUEST');
    expectRefused(await answerOf(put('empty.md', '')), 400, 'INVALID_REQUEST');
    expectRefused(await answerOf(ask(`${PATH}/empty.md`, { method: 'PUT' })), 400, 'INVALID_REQUEST');
  });
});

/** Returns the log lines about documents of a service that has ended. */
async function logged(env: Record<string, string>, work: (url: string) => Promise<void>) {
  const own = mkdtempSync(join(tmpdir(), 'skein-audit-'));
  await Bun.write(join(own, 'config.yml'), protectedConfig());
  const without = { SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false', ...env };
  const child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], own, without);
  let url = '';
  for await (const _ of child.lines) {
    url = /listening on (\S+)/.exec(child.output())?.[1] ?? '';
    if (url) break;
  }
  await work(url);
  child.kill('SIGTERM');
  await child.exited;
  await child.errors;
  rmSync(own, { recursive: true });
  const lines = child.output().split('\n');
  return {
    output: child.output(),
    audit: lines.filter((line) => line.includes('"audit":"document')).map((line) => JSON.parse(line)),
  };
}

test('an upload and a deletion are logged with their caller and without content', async () => {
  const { output, audit } = await logged({}, async (url) => {
    await fetch(`${url}${PATH}/a.md`, { method: 'PUT', body: 'content-canary', headers: ANN });
    await fetch(`${url}${PATH}/a.md`, { method: 'DELETE', headers: BOB });
  });
  expect(audit).toMatchObject([
    { audit: 'document uploaded', document: 'a.md', bytes: 14, author: 'user:ann' },
    { audit: 'document deleted', document: 'a.md', author: 'user:bob' },
  ]);
  expect(output).not.toContain('content-canary');
});

test('the author is known even if the document was saved but could not be indexed', async () => {
  await using provider = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 401 }) });
  const env = {
    ...{ LLM_PROVIDER_BASE_URL: `http://127.0.0.1:${provider.port}/v1`, LLM_PROVIDER_API_KEY: 'key' },
    LLM_PROVIDER_EMBEDDING_MODEL: 'embedder',
  };
  const { audit } = await logged(env, async (url) => {
    const upload = fetch(`${url}${PATH}/a.md`, { method: 'PUT', body: 'Saved.', headers: ANN });
    expectRefused(await answerOf(upload), 500, 'MODEL_CALL_FAILED');
    const listed = async () => (await json(await fetch(`${url}${PATH}`, { headers: ANN }))).documents;
    await until(async () => (await listed()).length > 0);
    expect(await listed()).toMatchObject([{ name: 'a.md', author: 'user:ann' }]);
  });
  expect(audit).toMatchObject([
    { audit: 'document uploaded', document: 'a.md', bytes: 6, author: 'user:ann' },
  ]);
});

test('the author of the last upload survives a restart', async () => {
  const own = await testService({
    config: protectedConfig('failed_logins_per_minute: 10000'),
    folder: mkdtempSync(join(tmpdir(), 'skein-authors-')),
  });
  const at = (path: string, init: RequestInit) => own.fetch(path, init);
  await at(`${PATH}/a.md`, { method: 'PUT', body: 'One.', headers: ANN });
  await at(`${PATH}/a.md`, { method: 'PUT', body: 'Two.', headers: BOB });
  await own.close();
  const again = await testService({
    config: protectedConfig('failed_logins_per_minute: 10000'),
    folder: own.folder,
  });
  const { documents } = await json(again.fetch(PATH, { headers: ANN }));
  expect(documents).toMatchObject([{ name: 'a.md', author: 'user:bob' }]);
  await again.fetch(`${PATH}/a.md`, { method: 'DELETE', headers: ANN });
  await Bun.write(join(own.folder, '.tmp', 'knowledge_base', 'a.md'), 'Three.');
  await until(
    async () => (await json(again.fetch(PATH, { headers: ANN }))).documents[0]?.state === 'indexed',
  );
  expect((await json(again.fetch(PATH, { headers: ANN }))).documents[0]).not.toHaveProperty('author');
  await again.close();
  rmSync(own.folder, { recursive: true });
});

test('a saved file is complete, with nothing next to it', async () => {
  await put('whole.md', 'Whole.');
  expect(readFileSync(join(folder, 'whole.md'), 'utf8')).toBe('Whole.');
  expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([]);
});

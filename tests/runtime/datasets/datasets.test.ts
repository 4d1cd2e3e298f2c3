/** Datasets in their folder: writes, broken files and concurrent changes. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, nameOf, parseCases, questionOf } from '../../../runtime/datasets/cases.ts';
import { type Datasets, datasetsIn } from '../../../runtime/datasets/datasets.ts';
import type { SkeinError } from '../../../state/errors.ts';

let folder: string;
let datasets: Datasets;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-datasets-'));
  datasets = datasetsIn(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const HELLO: Case = { prompt: 'Hello', expect: { exact: 'Hi' } };
const at = (name: string) => join(folder, name);
const textOf = (name: string) => readFileSync(at(`${name}.jsonl`), 'utf8');

async function errorOf(work: Promise<unknown>): Promise<Pick<SkeinError, 'code' | 'message' | 'detail'>> {
  const error = await work.then(
    () => undefined,
    (thrown: SkeinError) => thrown,
  );
  if (!error) throw new Error('the call did not fail');
  return { code: error.code, message: error.message, detail: error.detail };
}

test('the first case creates a dataset, and removing the last one removes it', async () => {
  const { caseId, case: added } = await datasets.add('shop', HELLO);
  expect(added.id).toMatch(/^case-[0-9a-f]{8}$/);
  expect(textOf('shop')).toBe(`${JSON.stringify(added)}\n`);
  const after = { ...added, expect: { contains: ['Hi'] } };
  const changed = await datasets.update('shop', caseId, after);
  expect(changed.caseId).not.toBe(caseId);
  expect((await datasets.read('shop')).cases).toEqual([{ caseId: changed.caseId, line: 1, case: after }]);
  await datasets.remove('shop', changed.caseId);
  expect(readdirSync(folder)).toEqual([]);
  expect(await errorOf(datasets.read('shop'))).toMatchObject({
    code: 'NOT_FOUND',
    message: "Dataset 'shop' not found",
  });
});

test('text written by hand is unchanged, including line ends and blank lines', async () => {
  const line = '{"prompt":"One",  "expect":{"exact":"1"}}';
  writeFileSync(at('hand.jsonl'), `\uFEFF${line}\r\n\r\n${line.replace('One', 'Two')}`);
  const [first, second] = (await datasets.read('hand')).cases;
  expect([first?.line, second?.line]).toEqual([1, 3]);
  await datasets.update('hand', second?.caseId ?? '', { prompt: 'Three', expect: { exact: '3' } });
  await datasets.add('hand', HELLO);
  expect(textOf('hand')).toStartWith(
    `\uFEFF${line}\r\n\r\n{"prompt":"Three","expect":{"exact":"3"}}\n{"id":"case-`,
  );
  expect((await datasets.read('hand')).problems).toEqual([]);
});

test('a case that has been changed or removed in the meantime is not overwritten', async () => {
  const { caseId } = await datasets.add('shop', HELLO);
  await datasets.update('shop', caseId, { prompt: 'Hello', expect: { exact: 'Theirs' } });
  const change = { prompt: 'Hello', expect: { exact: 'Mine' } };
  expect((await errorOf(datasets.update('shop', caseId, change))).code).toBe('NOT_FOUND');
  expect((await errorOf(datasets.remove('shop', caseId))).code).toBe('NOT_FOUND');
  expect(textOf('shop')).toContain('Theirs');
});

test('no concurrent addition is lost, even with several servers', async () => {
  const servers = [datasets, datasetsIn(folder), datasetsIn(folder)];
  const additions = Array.from({ length: 60 }, (_, number) =>
    servers[number % 3]?.add('busy', { prompt: `Question ${number}`, expect: { exact: 'a' } }),
  );
  await Promise.all(additions);
  const { cases } = await datasets.read('busy');
  expect(new Set(cases.map((one) => one.case.prompt)).size).toBe(60);
  expect(readdirSync(folder)).toEqual(['busy.jsonl']);
});

test('the lock file of a killed process expires', async () => {
  writeFileSync(at('.shop.lock'), '');
  utimesSync(at('.shop.lock'), 1, 1);
  await datasets.add('shop', HELLO);
  expect(readdirSync(folder)).toEqual(['shop.jsonl']);
});

test.each([
  ['{"prompt": "a", "expect": {"exact": "a"}', 41, 'is not a JSON object'],
  ['{"prompt": "a" "expect": {}}', 16, 'is not a JSON object'],
  ['[1, 2', 6, 'is not a JSON object'],
  ['[[', 3, 'is not a JSON object'],
  ['"text"', 1, 'is not a JSON object'],
  ['{"prompt": "a", "expect": {"exact": nul}}', 37, 'is not a JSON object'],
  ['{"prompt": "a\u0001", "expect": {}}', 14, 'is not a JSON object'],
  ['{"prompt": "a", "expected": {}}', 1, "did you mean 'expect'?"],
  ['{"expect": {"exact": "a"}}', 1, 'expected one of prompt, input and call'],
  ['{"prompt": "a", "input": {}, "expect": {"exact": "a"}}', 1, 'expected one of prompt, input and call'],
  ['{"prompt": " ", "expect": {"exact": "a"}}', 1, 'expected text'],
  ['{"call": {"messages": []}, "expect": {"exact": "a"}}', 1, 'call.messages'],
  [
    '{"call": {"messages": [{"role": "x", "content": ""}]}, "expect": {"exact": "a"}}',
    1,
    'call.messages[0].role',
  ],
  [
    '{"call": {"messages": [{"role": "user", "content": "a"}], "temp": 1}, "expect": {"exact": "a"}}',
    1,
    "did you mean 'temperature'?",
  ],
  [
    '{"call": {"messages": [{"role": "user", "content": "a"}]}, "thread": "t", "expect": {"exact": "a"}}',
    1,
    'a model call has no conversation',
  ],
  ['{"__proto__": {}, "prompt": "a", "expect": {"exact": "a"}}', 1, 'this key is not allowed'],
  ['['.repeat(20_000), 1, 'is not a JSON object'],
])(
  'a broken line is reported with its position, and the file is not changed: %p',
  async (line, column, reason) => {
    const text = `{"prompt":"fine","expect":{"exact":"a"}}\n\n${line}\n`;
    writeFileSync(at('broken.jsonl'), text);
    const { cases, problems } = await datasets.read('broken');
    expect(cases).toHaveLength(1);
    expect(problems).toEqual([
      { line: 3, column: expect.any(Number), reason: expect.stringContaining(reason) },
    ]);
    if (line.length < 100) expect(problems[0]?.column).toBe(column);
    const place =
      column > 1 && line.length < 100 ? `broken.jsonl line 3 column ${column}: ` : 'broken.jsonl line 3';
    for (const work of [
      () => datasets.add('broken', HELLO),
      () => datasets.update('broken', cases[0]?.caseId ?? '', HELLO),
      () => datasets.remove('broken', cases[0]?.caseId ?? ''),
    ]) {
      const { code, message } = await errorOf(work());
      expect(code).toBe('CONFIGURATION_ERROR');
      expect(message).toStartWith(place);
    }
    expect(textOf('broken')).toBe(text);
  },
);

test('bytes that are not UTF-8 are a broken line', () => {
  const bytes = Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect(parseCases(bytes)).toEqual({
    cases: [],
    problems: [{ line: 1, column: 1, reason: 'is not UTF-8' }],
  });
});

test.each(['', '.', '..', '../up', 'a/b', 'a..b', '.hidden', 'a\0b', 'ä', 'a b', 'x'.repeat(65)])(
  'no dataset has the name %p',
  async (name) => {
    for (const work of [
      () => datasets.read(name),
      () => datasets.add(name, HELLO),
      () => datasets.remove(name, 'x'),
    ])
      expect((await errorOf(work())).code).toBe('INVALID_REQUEST');
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('links and folders are not datasets, and nothing is written through them', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'skein-outside-'));
  writeFileSync(join(outside, 'secret.jsonl'), JSON.stringify(HELLO));
  symlinkSync(join(outside, 'secret.jsonl'), at('linked.jsonl'));
  mkdirSync(at('folder.jsonl'));
  expect(await datasets.list()).toEqual([]);
  expect((await errorOf(datasets.read('linked'))).code).toBe('NOT_FOUND');
  for (const name of ['linked', 'folder'])
    expect(await errorOf(datasets.add(name, HELLO))).toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining("'datasets.path'"),
    });
  expect(readFileSync(join(outside, 'secret.jsonl'), 'utf8')).toBe(JSON.stringify(HELLO));
  rmSync(outside, { recursive: true });
});

test('an unusable folder is reported with its setting', async () => {
  writeFileSync(at('file'), '');
  const error = await errorOf(datasetsIn(at('file')).add('shop', HELLO));
  expect(error.code).toBe('CONFIGURATION_ERROR');
  expect(error.message).toContain("'datasets.path'");
  expect(error.message).not.toContain(folder);
});

test('a dataset rejects a second case with the same name, and more than 1,000 cases', async () => {
  const { caseId } = await datasets.add('shop', { ...HELLO, id: 'a' });
  await datasets.add('shop', { ...HELLO, id: 'b' });
  expect(await errorOf(datasets.add('shop', { ...HELLO, id: 'a' }))).toMatchObject({
    code: 'INVALID_REQUEST',
  });
  expect((await errorOf(datasets.update('shop', caseId, { ...HELLO, id: 'b' }))).code).toBe(
    'INVALID_REQUEST',
  );
  await datasets.update('shop', caseId, { ...HELLO, id: 'a', notes: 'More.' });
  writeFileSync(at('full.jsonl'), `${JSON.stringify(HELLO)}\n`.repeat(1_000));
  expect((await errorOf(datasets.add('full', HELLO))).code).toBe('PAYLOAD_TOO_LARGE');
});

test('other files, and files that are too large, do not hide the datasets', async () => {
  expect(await datasetsIn(join(folder, 'missing')).list()).toEqual([]);
  await datasets.add('shop', HELLO);
  writeFileSync(at('README.md'), 'mine');
  writeFileSync(at('large.jsonl'), 'x'.repeat(4 * 1024 * 1024 + 1));
  expect((await datasets.list()).map(({ name, cases, problems }) => [name, cases.length, problems])).toEqual([
    ['large', 0, [{ line: 1, column: 1, reason: 'the file is larger than 4194304 bytes' }]],
    ['shop', 1, []],
  ]);
  const long = { ...HELLO, notes: 'x'.repeat(4_000), prompt: 'y'.repeat(4 * 1024 * 1024) };
  expect(await errorOf(datasets.add('shop', long))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect((await datasets.read('shop')).cases).toHaveLength(1);
});

test('a concurrent change in an editor is kept', async () => {
  const { caseId } = await datasets.add('shop', HELLO);
  const line = '{"prompt":"Mine","expect":{"exact":"1"}}';
  let isEdited = false;
  const after: Case = {
    ...{ prompt: 'Hello', tags: ['x'] },
    get expect() {
      // An editor writes the file while the new text is created.
      if (!isEdited) writeFileSync(at('shop.jsonl'), `${textOf('shop')}${line}\n`);
      isEdited = true;
      return { exact: 'Hi' };
    },
  };
  await datasets.update('shop', caseId, after);
  expect(textOf('shop').trim().split('\n')).toEqual([JSON.stringify(after), line]);
});

test('the question of a call is its last user message, or its last message if there is none', () => {
  const questions = ['user', 'system'].map((role) => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role, content: 'Hello' },
    ];
    return JSON.stringify({ call: { messages }, expect: { exact: 'Hi' } });
  });
  const { cases } = parseCases(Buffer.from(questions.join('\n')));
  expect(cases.map((one) => [nameOf(one), questionOf(one.case)])).toEqual([
    ['line 1', 'Hello'],
    ['line 2', 'Hello'],
  ]);
  expect(questionOf({ input: { n: 1 } })).toBe('{"n":1}');
});

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrompts } from '../../prompts/prompts.ts';
import { readShippedPrompts } from '../../prompts/shipped-source.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-prompts-'));
afterAll(() => rmSync(root, { recursive: true }));

const write = (folder: string, name: string, text: string) => Bun.write(join(root, folder, name), text);
await write('one', 'w.greet.jinja', 'Hello {{ name }}, {% for item in items %}[{{ item }}]{% endfor %}');
await write('one', 'w.plain.md', '# {{ name }}');
await write('one', 'w.broken.jinja', 'Hello {{ name');
await write('one', 'notes.json', '{}');
await write('two', 'w.plain.md', '# replaced');
await write('two', '.hidden.md', 'hidden');

const prompts = async (...folders: string[]) =>
  createPrompts(await readShippedPrompts(folders.map((folder) => join(root, folder))));

test('a template is rendered with its variables, and other files are used unchanged', async () => {
  const { render } = await prompts('one');
  expect(await render(['w.greet.jinja'], { name: 'Ana', items: [1, 2] })).toBe('Hello Ana, [1][2]');
  expect(await render(['w.plain.md'], { name: 'Ana' })).toBe('# {{ name }}');
});

test('template syntax in a value stays text', async () => {
  const { render } = await prompts('one');
  const hostile = "{{ items }}{% for i in range(9) %}x{% endfor %}{{ ''.constructor }}";
  expect(await render(['w.greet.jinja'], { name: hostile, items: [] })).toBe(`Hello ${hostile}, `);
});

test('the first existing file of several is used', async () => {
  const { render } = await prompts('one');
  expect(await render(['w.missing.jinja', 'w.plain.md'], {})).toBe('# {{ name }}');
});

test('a later folder replaces a file, and only prompt files are listed', async () => {
  const { render, list } = await prompts('one', 'two', 'not-there');
  expect(await render(['w.plain.md'], {})).toBe('# replaced');
  expect(await list()).toEqual(['w.broken.jinja', 'w.greet.jinja', 'w.plain.md']);
});

test("a later folder's file with the earlier name also replaces a file, but not an earlier folder's", async () => {
  const wanted = [{ file: 'w.clerk.greet.md', earlier: 'w.greet.md' }];
  const filename = async (...folders: string[]) =>
    (await (await prompts(...folders)).renderFrom(wanted, {})).used.filename;
  await write('now', 'w.clerk.greet.md', 'now');
  await write('before', 'w.greet.md', 'before');
  expect(await filename('before')).toBe('w.greet.md');
  expect(await filename('now', 'before')).toBe('w.greet.md');
  expect(await filename('before', 'now')).toBe('w.clerk.greet.md');
});

test('a missing or broken file is an error that names it', async () => {
  const { render } = await prompts('one');
  expect(render(['w.gone.jinja', 'w.lost.md'], {})).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: "Validation error in field 'prompts': prompt file 'w.gone.jinja' does not exist",
  });
  expect(render(['w.broken.jinja'], {})).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: "Validation error in field 'prompts': prompt file 'w.broken.jinja' cannot be rendered",
  });
});

/** `skein prompts` in a process of its own. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineDiff } from '../../cli/line-diff.ts';
import { spawnCommand } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-prompts-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function prompts(...args: string[]) {
  const child = spawnCommand(['prompts', ...args], folder, {});
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

const FILE = 'classification-agent.responder.jinja';

test('prompt files are listed, shown, restored and compared', async () => {
  expect((await prompts('list')).output).toMatch(/^default {2}\d+ files {2}shipped\n$/);
  expect((await prompts('list', 'default')).output).toContain(`${FILE}\n`);
  const shipped = (await prompts('show', 'default', FILE)).output;
  expect(shipped).toContain('{{ category.description }}');
  await Bun.write(join(folder, '.files/prompts/default', FILE), `first\n${shipped}`);
  expect((await prompts('diff', 'default', FILE, '0')).output).toStartWith('+first\n Category');
  expect((await prompts('restore', 'default', FILE, '0')).output).toBe(
    `${FILE} of revision default is now version 2, with the text of version 0\n`,
  );
  expect((await prompts('show', 'default', FILE)).output).toBe(shipped);
  const { output } = await prompts('history', 'default', FILE);
  expect(output.split('\n').map((line) => line.trim().split(/\s+/)[0])).toEqual(['2', '1', '0', '']);
}, 30_000);

test('what is wrong is said, with the exit code', async () => {
  expect(await prompts('show', 'nope', 'a.md')).toMatchObject({
    code: 1,
    output: "There is no such prompt file: prompt file 'a.md' of revision 'nope'\n",
  });
  expect((await prompts('show')).code).toBe(2);
  expect((await prompts('nope')).code).toBe(2);
}, 30_000);

test('lines that both texts have are kept', () => {
  expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(lineDiff('', '')).toEqual([' ']);
  expect(lineDiff('\n'.repeat(65_536), 'x')).toHaveLength(65_538);
});

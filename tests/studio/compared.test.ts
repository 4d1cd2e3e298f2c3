/** A result beside an earlier one. */
import { expect, test } from 'bun:test';
import type { JudgedCase } from '../../studio/data/datasets.ts';
import { compared } from '../../studio/datasets/compared.ts';
import { changedPrompts, promptsText } from '../../studio/datasets/versions.ts';

const judged = (key: string, right: boolean): JudgedCase => ({
  ...{ key, id: key, prompt: key, expect: { exact: 'a' }, answered: true, right, misses: [] },
  ...{ answer: 'a', tokens: 1, milliseconds: 1 },
});

test('cases are matched by key and grouped by how their results changed', () => {
  const before = [judged('same', true), judged('broke', true), judged('fixed', false), judged('gone', true)];
  const now = [judged('new', false), judged('fixed', true), judged('broke', false), judged('same', true)];
  const groups = compared(now, before);
  const keys = Object.entries(groups).map(([change, cases]) => [change, cases.map((one) => one.now.key)]);
  expect(Object.fromEntries(keys)).toEqual({
    ...{ broke: ['broke'], failing: ['new'], fixed: ['fixed'], passing: ['same'] },
  });
  expect(groups.failing[0]?.before).toBeUndefined();
  expect(compared(now).failing).toHaveLength(2);
});

const prompt = (filename: string, version: number | null, sha256 = `${filename} ${version}`) => ({
  ...{ filename, revision_id: 'default', version, sha256 },
});

test('a prompt file counts as changed if its text changed, whatever its version says', () => {
  const before = { prompts: [prompt('a.jinja', 1), prompt('b.jinja', 1, 'same'), prompt('c.jinja', 0)] };
  const now = { prompts: [prompt('a.jinja', 2), prompt('b.jinja', 2, 'same'), prompt('d.jinja', 0)] };
  expect(changedPrompts(now, before)).toEqual([
    { now: prompt('a.jinja', 2), was: prompt('a.jinja', 1) },
    { now: prompt('d.jinja', 0), was: undefined },
  ]);
  expect(promptsText(now)).toBe('a.jinja default v2, b.jinja default v2, 1 shipped');
});

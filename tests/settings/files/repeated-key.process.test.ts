/** Duplicate keys in a mapping of a YAML file. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeatedKey } from '../../../settings/files/repeated-key.ts';
import { spawnCommand } from '../../support/process.ts';
import { project } from '../project.ts';

const REPEATED: [text: string, key: string, first: number, line: number][] = [
  ['port: 1\nport: 2', 'port', 1, 2],
  ['web:\n  port: 1\n  host: a\n\n  # again\n  port: 2\n', 'port', 2, 6],
  ['limits: {run_seconds: 1, run_seconds: 2}', 'run_seconds', 1, 1],
  ['limits: {"a":1,"a":2}', 'a', 1, 1],
  ['limits: {\n  a: 1,\n  b: [x, {c: 1,\n c: 2}]\n}', 'c', 3, 4],
  ['a: 1\n"a": 2', 'a', 1, 2],
  ["'it''s': 1\n\"it's\": 2", "it's", 1, 2],
  ['1: a\n"1": b', '1', 1, 2],
  ['a : 1\na: 2', 'a', 1, 2],
  ['two words: 1\nb: 2\ntwo words: 3', 'two words', 1, 3],
  ['- name: dev\n  memory: {}\n- name: prod\n  memory: {}\n  limits: {}\n  memory: {}', 'memory', 4, 6],
  ['models:\n- model: a\n  role: chat\n- model: b\n  model: c', 'model', 4, 5],
  ['- &base name: a\n  name: b', 'name', 1, 2],
  ['x: &x {k: 1}\ny:\n  <<: *x\n  k: 2\n  k: 3', 'k', 4, 5],
  ['a: |\n  b: 1\n  b: 2\nc: 1\nc: 2', 'c', 4, 5],
  ['a:\r\n  b: 1\r\n  b: 2\r\n', 'b', 2, 3],
  ['__proto__: 1\n__proto__: 2', '__proto__', 1, 2],
  ['a:\nb: 1\na:', 'a', 1, 3],
  ['a: 1\na: 2\na: 3', 'a', 1, 2],
  ['größe: 1\ngröße: 2', 'größe', 1, 2],
];
test.each(REPEATED)('%p has a duplicate key', (text, key, first, line) => {
  Bun.YAML.parse(text);
  expect(repeatedKey(text)).toEqual({ key, first, line });
});

const FINE = [
  '',
  '# a: 1\n# a: 2',
  'a: {b: 1}\nb: {b: 1}',
  'a: |\n  b: 1\n  b: 2\n',
  'a: >-\n  b: 1\n  b: 2\nb: 3',
  'a: "b: 1, b: 2"\nb: "a: 1"',
  "a: 'b: 1'\nb: 'b: 2'",
  'x: &x {k: 1}\ny:\n  <<: *x\n  k: 2',
  'x: &x {k: 1}\ny: {k: 2, <<: *x}',
  'x: &x {k: 1}\ny: *x\nz: *x',
  '- a: 1\n- a: 2\n- {a: 3}',
  'a: 1\nhttp://h:1/x: 1\nhttp://h:1/y: 1',
  'a: 10:20:30\nb: 10:20:30',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the files
  'a: ${X:1}\nb: ${X:1}',
  "a: don't\nb: it's\nc: 1",
  'a: &x 1\nb: *x\nc: *x',
  'x: &x {k: 1}\ny: &y {k: 2}\nz:\n  <<: *x\n  <<: *y',
  '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]}',
  'a: 1\nA: 2',
];
test.each(FINE)('%p has no duplicate key', (text) => {
  Bun.YAML.parse(text);
  expect(repeatedKey(text)).toBeUndefined();
});

describe('a file with a duplicate key', () => {
  const TEXT = 'web_configuration:\n  port: 8081\n  host: 127.0.0.1\n  port: 8082\n';
  const REFUSED = (file: string, key: string, first: number, line: number) =>
    `Validation error in field '${file}': the key '${key}' is set twice, at lines ${first} and ${line}; remove one of them`;

  test('is rejected, config.yml and profiles.yml', () => {
    expect(project({ 'config.yml': TEXT }).refusal()).toBe(REFUSED('config.yml', 'port', 2, 4));
    const profiles = '- name: dev\n  memory: {}\n  memory: {}\n';
    expect(project({ 'profiles.yml': profiles }).refusal()).toBe(REFUSED('profiles.yml', 'memory', 2, 3));
  });

  test.each(['serve --port 0', 'validate'])(
    'stops %s with exit code 2',
    async (command) => {
      const { cwd } = project({ 'config.yml': TEXT });
      const child = spawnCommand(command.split(' '), cwd);
      await Array.fromAsync(child.lines);
      await child.errors;
      expect(child.output()).toContain(REFUSED('config.yml', 'port', 2, 4));
      expect(await child.exited).toBe(2);
    },
    60_000,
  );
});

test('the config.yml of the checkout has no duplicate key', () => {
  expect(repeatedKey(readFileSync(join(import.meta.dir, '../../../config.yml'), 'utf8'))).toBeUndefined();
});

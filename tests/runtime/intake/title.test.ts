/** Titles of threads, from first questions that users and programs write. */
import { expect, test } from 'bun:test';
import { titleOf } from '../../../runtime/intake/title.ts';

test.each([
  ['  Where is\nmy pedal? ', 'Where is my pedal?'],
  ['{"topic": "bees"}', 'bees'],
  ['{"topic": "bees", "count": 3}', 'bees'],
  ['{"from": "Rome", "to": {"city": "Oslo", "nights": 2}}', 'from: Rome, to city: Oslo, to nights: 2'],
  ['["red", "blue"]', 'red, blue'],
  ['{"a": 1, "b": true}', 'a: 1, b: true'],
  ['{"messages": [{"role": "user", "content": "Hello"}]}', 'messages role: user, messages content: Hello'],
  ['{}', '{}'],
  ['{"topic": " ", "count": 3}', 'count: 3'],
  ['{"open": ', '{"open":'],
  ['[see above] what now?', '[see above] what now?'],
] as const)('%s becomes the title %s', (prompt, title) => {
  expect(titleOf(prompt)).toBe(title);
});

test('the title of a long input comes from the input, since the question is only its beginning', () => {
  const input = { document: `Dear Sir, ${'words '.repeat(100)}` };
  const question = JSON.stringify(input).slice(0, 200);
  expect(titleOf(question, input)).toStartWith('Dear Sir, words words');
  expect(titleOf('[1] says so, why?', { messages: ['[1] says so, why?'] })).toBe('[1] says so, why?');
});

test('a title has at most 80 whole characters, even for deep or large JSON', () => {
  expect([...titleOf('👍'.repeat(200))].length).toBe(80);
  expect(titleOf(`{"text": "${'long '.repeat(100)}"}`)).toBe('long '.repeat(16));
  const deep = `${'['.repeat(9_000)}1${']'.repeat(9_000)}`;
  expect(titleOf(deep)).toBe('['.repeat(80));
  const large = JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, row) => ({ row })) });
  const started = performance.now();
  expect(titleOf(large)).toStartWith('{"rows":[{"row":0}');
  expect(performance.now() - started).toBeLessThan(50);
});

/** The difference of two texts, line by line. */
import { expect, test } from 'bun:test';
import { lineDiff } from '../../studio/diff/line-diff.ts';

const signs = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);

test('unchanged, removed and added lines are distinguished', () => {
  expect(signs('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(signs('', 'a')).toEqual(['+a']);
  expect(signs('a', '')).toEqual(['-a']);
  expect(signs('a', 'a')).toEqual([' a']);
});

test('each line has its number in the texts that contain it', () => {
  expect(lineDiff('a\nb', 'b\nc').map(({ before, after }) => [before, after])).toEqual([
    [1, undefined],
    [2, 1],
    [undefined, 2],
  ]);
});

test('both texts can be restored from their difference, whatever they contain', () => {
  const seed = Date.now();
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
  const text = () => Array.from({ length: random(12) }, () => 'abcd'[random(4)]).join('\n');
  for (let round = 0; round < 300; round++) {
    const [before, after] = [text(), text()];
    const lines = lineDiff(before, after);
    const of = (left: string) =>
      lines
        .filter(({ kind }) => kind !== left)
        .map((line) => line.text)
        .join('\n');
    expect({ seed, before: of('added'), after: of('removed') }).toEqual({ seed, before, after });
  }
});

const many = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word} ${index}`);

test('a few changes are found in a long text', () => {
  const old = many('line', 20_000);
  const now = old.toSpliced(15_000, 1).toSpliced(10, 0, 'new');
  const changes = lineDiff(old.join('\n'), now.join('\n')).filter(({ kind }) => kind !== 'same');
  expect(changes).toEqual([
    { kind: 'added', text: 'new', before: undefined, after: 11 },
    { kind: 'removed', text: 'line 15000', before: 15_001, after: undefined },
  ]);
});

test('texts that differ in too many lines are replaced as a whole', () => {
  const [old, now] = [
    ['same', ...many('a', 3_000)],
    ['same', ...many('b', 3_000)],
  ];
  expect(lineDiff(old.join('\n'), now.join('\n')).map(({ kind, text }) => ({ kind, text }))).toEqual([
    ...old.map((text) => ({ kind: 'removed' as const, text })),
    ...now.map((text) => ({ kind: 'added' as const, text })),
  ]);
});

/** The difference of two texts, line by line. */
import { expect, test } from 'bun:test';
import { lineDiff } from '../../studio/diff/line-diff.ts';

const signs = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);

test('lines that stayed, went and came are told apart', () => {
  expect(signs('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
  expect(signs('', 'a')).toEqual(['-', '+a']);
  expect(signs('a', 'a')).toEqual([' a']);
});

test('each line has its number in the texts that have it', () => {
  expect(lineDiff('a\nb', 'b\nc').map(({ before, after }) => [before, after])).toEqual([
    [1, undefined],
    [2, 1],
    [undefined, 2],
  ]);
});

test('both texts can be read from their difference, whatever they are', () => {
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

test('of texts that are too long to be compared the middle is taken as new', () => {
  const many = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n');
  const lines = lineDiff(`same\n${many('a')}\nend`, `same\n${many('b')}\nend`);
  expect(lines.filter(({ kind }) => kind === 'same').map(({ text }) => text)).toEqual(['same', 'end']);
  expect(lines.length).toBe(6_002);
});

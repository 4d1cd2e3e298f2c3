/** Which citations of an answer are valid, and which sentences are unsupported. */
import { expect, test } from 'bun:test';
import { checkCitations } from '../../../graphs/knowledge-base-agent/check-citations.ts';
import type { Passage } from '../../../tools/knowledge/library.ts';

const passage = (text: string, more: Partial<Passage> = {}): Passage => ({
  ...{ id: text, document: 'shop.md', heading: '', page: null, start: 0, end: text.length },
  ...{ text, context: text, scores: { vector: 1, text: 1, fused: 1 } },
  ...more,
});

const PASSAGES = [
  passage('Frames are covered against breaking for five years from the day of purchase.'),
  passage('Batteries keep 70 % of their capacity for 500 charging cycles.'),
];
const check = (text: string, passages = PASSAGES) => checkCitations(text, passages);
const NOTE = '† The passages cited for this do not say it in these words.';

test('sentences that repeat their passages stay unchanged', () => {
  const text =
    'Frames are covered for five years [1]. A battery keeps 70 % of its capacity for 500 cycles. [2]';
  expect(check(text)).toEqual({ content: text, cited: [1, 2], around: [], unsupported: [] });
});

test('an invalid citation is dropped, also from groups', () => {
  const { content, cited } = check(
    'Frames are covered for five years [1, 7]. Batteries keep capacity [0][2][99].',
  );
  expect(content).toBe('Frames are covered for five years [1]. Batteries keep capacity [2].');
  expect(cited).toEqual([1, 2]);
});

test('a citation that is a link loses its target', () => {
  expect(check('Frames are covered for five years [1](http://evil.example/x).').content).toBe(
    'Frames are covered for five years [1].',
  );
});

test('numbers in other brackets and in footnotes are citations, too', () => {
  const { content, cited } = check(
    'Frames are covered for five years【1】. Batteries keep 70 % of their capacity [^2]. Frames 【1†source】【9】.',
  );
  expect(content).toBe(
    'Frames are covered for five years[1]. Batteries keep 70 % of their capacity [2]. Frames [1].',
  );
  expect(cited).toEqual([1, 2]);
  expect(check('See 【the manual】 and `【1】` [1].').content).toBe('See 【the manual】 and `【1】` [1].');
});

test('every number of a sentence that cites is checked, however short it is, and in a row of a table', () => {
  expect(check('The limit is 99999 [1].').unsupported).toEqual(['The limit is 99999.']);
  expect(check('99999【2】').unsupported).toEqual(['99999']);
  expect(check('70 % [2].').unsupported).toEqual([]);
  const { content, unsupported } = check('| limit | 99999 [1] |\n| capacity | 70 % [2] |');
  expect(unsupported).toHaveLength(1);
  expect(content).toStartWith('| limit | 99999 [1] † |\n| capacity | 70 % [2] |');
  expect(check('There are 2 of them. Frames are covered for five years [1].').unsupported).toEqual([]);
});

test('a sentence with different words is marked, and the mark is explained once', () => {
  const { content, unsupported } = check(
    'Frames are covered for five years [1]. Helmets must be replaced after every crash [2]. Pedals need no grease whatsoever [1].',
  );
  expect(content).toBe(
    `Frames are covered for five years [1]. Helmets must be replaced after every crash [2]. † Pedals need no grease whatsoever [1]. †\n\n${NOTE}`,
  );
  expect(unsupported).toEqual([
    'Helmets must be replaced after every crash.',
    'Pedals need no grease whatsoever.',
  ]);
});

test('the right words with another number are marked', () => {
  expect(
    check('Batteries keep 80 % of their capacity for 500 charging cycles [2].').unsupported,
  ).toHaveLength(1);
  expect(check('2. Batteries keep 70 % of their capacity for 500 charging cycles [2].').unsupported).toEqual(
    [],
  );
});

test('a number is the same in digits, in words and with other separators', () => {
  const passages = [
    passage('Bleed brakes every two years with DOT 5.1 fluid.'),
    passage('The desk answers calls from 9 to 18 h and repairs for 1,200 customers cost €33.'),
  ];
  for (const text of [
    'Bleed brakes every 2 years with DOT 5.1 fluid [1].',
    'Calls are answered at the desk from 9:00 to 18:00 [2].',
    'The desk answers calls from 1200 customers; repairs cost €33.00 [2].',
    'The desk repairs for 1.200 customers [2].',
  ])
    expect(check(text, passages).unsupported).toEqual([]);
  for (const text of [
    'Bleed brakes every 2 years with DOT 51 fluid [1].',
    'Bleed brakes every 3 years with DOT 5.1 fluid [1].',
    'Calls are answered at the desk from 9:30 to 18:00 [2].',
    'The desk answers calls and repairs for 12.00 customers [2].',
  ])
    expect(check(text, passages).unsupported).toHaveLength(1);
});

test('the text of an uncited passage does not support a sentence', () => {
  expect(check('Frames are covered for five years [2].').unsupported).toEqual([
    'Frames are covered for five years.',
  ]);
});

test('a sentence without a citation is checked against those of its paragraph, then of the answer', () => {
  const { unsupported } = check(
    'Frames are covered against breaking. That holds five years from the purchase [1].\n\nBatteries keep their capacity for charging cycles.',
  );
  expect(unsupported).toEqual(['Batteries keep their capacity for charging cycles.']);
});

test('short sentences, questions, headings, tables and code are not checked', () => {
  const text = [
    '# Guarantees of wonderful unicorn saddles',
    'Yes [1]. Do helmets protect wonderful unicorns?',
    '| unicorn | saddle | helmet |',
    '`unicorns[7] helmets saddles wonderful`',
    '```\nunicorns = helmets[9]; saddles wonderful horses\n```',
  ].join('\n');
  expect(check(text)).toEqual({ content: text, cited: [1], around: [], unsupported: [] });
});

test('an answer without citations says so', () => {
  expect(check('The passages do not say. [9]')).toEqual({
    content: 'The passages do not say.\n\nThis answer cites no passage of the knowledge base.',
    cited: [],
    around: [],
    unsupported: [],
  });
  expect(check('').content).toBe('This answer cites no passage of the knowledge base.');
});

test('the section around a passage, its heading and its document name count as its text', () => {
  const one = passage('Five years.', {
    heading: 'Warranty > Frames',
    context: 'Steel forks too. Five years.',
  });
  expect(check('The warranty for frames and steel forks is five years [1].', [one]).unsupported).toEqual([]);
});

test('hostile text is checked quickly', () => {
  const texts = [
    '['.repeat(100_000),
    '[1]'.repeat(30_000),
    `${' '.repeat(50_000)}[1`,
    '"'.repeat(50_000),
    '`'.repeat(50_001),
    `Saddles weigh nothing ${'1,'.repeat(50_000)}${','.repeat(50_000)}1.${'0'.repeat(50_000)}1`,
  ];
  for (const text of texts) expect(check(`${text} [1].`).content.length).toBeGreaterThan(0);
}, 60_000);

/** A case in the form of the studio: what it shows and what it saves. */
import { expect, test } from 'bun:test';
import type { NewCase } from '../../studio/data/datasets.ts';
import { caseOf, draftOf, withKind } from '../../studio/datasets/case-draft.ts';

const CASES: NewCase[] = [
  { prompt: 'Hello', expect: { exact: 'Hi\nthere' } },
  {
    id: 'a',
    prompt: 'Hello',
    thread: 't',
    expect: { contains: ['Hi', 'there'] },
    tags: ['x', 'y'],
    notes: 'Why.',
  },
  { prompt: 'Hello', expect: { contains: ['two\nlines'] } },
  { prompt: 'Hello', expect: { exact: 'Hi', contains: ['H'] } },
  { prompt: 'Hello', expect: { rows: [[1], { n: 2 }] }, source: { run_id: 'r', workflow: 'w' } },
  { input: { number: 7 }, expect: { json: { 'values.twice': 14 } } },
];

test.each(CASES)('an unedited draft gives the same case: %j', (one) => {
  expect(caseOf(draftOf(one), one)).toEqual({ made: one });
});

test('a model call is edited as JSON and saved as JSON', () => {
  const call = { messages: [{ role: 'user' as const, content: 'Hi' }], temperature: 0 };
  const before = { call, expect: { exact: 'Hello' }, source: { run_id: 'r', workflow: 'w' } };
  const draft = draftOf(before);
  expect(draft.asks).toBe('call');
  expect(caseOf({ ...draft, expected: 'Hey' }, before)).toEqual({
    made: { ...before, expect: { exact: 'Hey' } },
  });
});

test('a missing value is reported at its field', () => {
  const draft = draftOf({});
  expect(caseOf(draft, {})).toEqual({
    problems: { question: 'Enter a question.', expected: 'Enter an expected answer.' },
  });
  expect(caseOf({ ...draft, question: 'Q', kind: 'json', expected: '{"exact": }' }, {})).toEqual({
    problems: { json: { at: 10, message: expect.stringContaining('Line 1, column 11') } },
  });
  expect(caseOf({ ...draft, question: '{', asks: 'input', expected: 'a' }, {})).toMatchObject({
    problems: { asked: { at: 1 } },
  });
});

test('a text field that contains JSON is saved as that JSON', () => {
  const draft = draftOf({ prompt: 'Q', expect: { contains: ['a', 'b'] } });
  expect(JSON.parse(withKind(draft, 'json').expected)).toEqual({ contains: ['a', 'b'] });
  expect(withKind(draft, 'exact').expected).toBe('a\nb');
  const json = { ...draft, kind: 'json' as const, expected: '{"rows": []}' };
  expect(withKind(json, 'json')).toEqual(json);
});

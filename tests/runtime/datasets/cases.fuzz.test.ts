/** Dataset files: lines are read as they were written, and invalid ones are reported with their position. */
import { expect } from 'bun:test';
import { basename } from 'node:path';
import fc from 'fast-check';
import { type Case, checkCase, parseCases } from '../../../runtime/datasets/cases.ts';
import { datasetIn, fileOf } from '../../../runtime/datasets/names.ts';
import { mismatches } from '../../../runtime/datasets/score.ts';
import { anyOrder, anyText, edited, property } from '../../support/property.ts';

const text = anyText.map((one) => one.toWellFormed());
const validCase: fc.Arbitrary<Case> = fc.record(
  {
    prompt: text.filter((one) => /\S/.test(one)),
    expect: fc.record({ exact: text }),
    tags: fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { maxLength: 3 }),
    notes: text,
  },
  { requiredKeys: ['prompt', 'expect'] },
);
const bytesOf = (written: string) => new TextEncoder().encode(written);

property(
  'cases are read as they were written',
  [fc.array(validCase, { maxLength: 5 }), fc.constantFrom('\n', '\r\n', '\n\n')],
  (cases, end) => {
    const { cases: read, problems } = parseCases(
      bytesOf(cases.map((one) => JSON.stringify(one) + end).join('')),
    );
    expect(problems).toEqual([]);
    expect(read.map((one) => one.case)).toEqual(cases);
  },
);

const PIECES = [
  '{',
  '}',
  '"prompt":',
  '"expect":',
  '"exact":',
  '"x"',
  ',',
  ':',
  'null',
  '\n',
  '\r',
  '[',
  ']',
  '\ufeff',
  '1e',
  'é',
];
const fileLine = fc.oneof(
  edited(
    validCase.map((one) => JSON.stringify(one)),
    PIECES,
  ),
  anyOrder(PIECES, 10),
);

property(
  'every line is a case, a problem or empty',
  [fc.array(fileLine, { maxLength: 5 }).map((lines) => lines.join('\n'))],
  (file) => {
    const { cases, problems } = parseCases(bytesOf(file));
    const lines = bytesOf(file).filter((byte) => byte === 10).length + 1;
    const numbers = [...cases, ...problems].map((one) => one.line);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const number of numbers) expect(number).toBeWithin(1, lines + 1);
    for (const one of cases) expect(checkCase(JSON.parse(one.text))).toEqual(one.case);
    const empty = file
      .toWellFormed()
      .split('\n')
      .filter((one) => one.replace(/^\ufeff/, '').trim() === '').length;
    expect(numbers.length).toBe(lines - empty);
  },
);

property('bytes that are not text are problems', [fc.uint8Array({ maxLength: 60 })], (bytes) => {
  const { cases, problems } = parseCases(bytes);
  expect(cases).toEqual([]);
  for (const { column, reason } of problems) expect([column > 0, reason !== '']).toEqual([true, true]);
});

property(
  'a file of a dataset has its name, and no other file has one',
  [fc.oneof(anyText, anyOrder(['a', '.', '..', '-', '/', '.jsonl', '\0', 'é'], 6))],
  (name) => {
    const dataset = datasetIn(name);
    if (dataset === undefined) return;
    expect(fileOf(dataset)).toBe(name);
    expect([basename(name), name.includes('\0')]).toEqual([name, false]);
    expect(name).not.toMatch(/^\.{1,2}$/);
  },
);

property(
  'a value is found at its path, and only there',
  [
    fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.array(fc.jsonValue({ maxDepth: 2 })), { minKeys: 1 }),
    fc.nat(),
    fc.nat(5),
  ],
  (data, key, index) => {
    const answer = { agent_response: '', outputs: [{ agent: 'a', content: '', data }] };
    const name = Object.keys(data)[key % Object.keys(data).length] ?? '';
    const value = data[name]?.[index];
    const path = `outputs[0].data.${name}[${index}]`;
    expect(mismatches({ json: { [path]: value } }, answer)).toEqual([]);
    expect(mismatches({ json: { [path]: 'another value' } }, answer)).toHaveLength(1);
    expect(mismatches({ json: { [`${path}.constructor`]: 1 } }, answer)).toHaveLength(1);
  },
);

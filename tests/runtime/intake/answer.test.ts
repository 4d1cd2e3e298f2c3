/** A person's answer, checked against the interrupts of the thread. */
import { expect, test } from 'bun:test';
import { type Answer, answersTo, answerText } from '../../../runtime/intake/answer.ts';
import type { PendingInterrupt } from '../../../state/threads/threads.ts';

const pendingInterrupts = (...ids: string[]) =>
  ({ interrupts: ids.map((interruptId) => ({ interruptId })) }) as unknown as PendingInterrupt;

const REJECTED: [string[], Answer, string, string][] = [
  [['a'], { values: { b: 1 } }, 'INTERRUPT_NOT_FOUND', 'The pending interrupts are: a'],
  [[], { values: { b: 1 } }, 'INTERRUPT_NOT_FOUND', 'No interrupt is pending'],
  [['a'], { value: 1, values: { a: 1 } }, 'INVALID_REQUEST', "send either 'value' or 'values', not both"],
  [['a'], { values: {} }, 'INVALID_REQUEST', 'values: expected an answer to at least one interrupt'],
  [['a'], {}, 'INVALID_REQUEST', "value: required, or 'values' by interrupt_id"],
  [
    [],
    { value: 1 },
    'INVALID_REQUEST',
    'value: no interrupt is pending; to continue after a breakpoint, send {}',
  ],
  [
    ['a', 'b'],
    { value: 1 },
    'INTERRUPT_AMBIGUOUS',
    "2 interrupts are pending: send 'values' by interrupt_id",
  ],
];

test.each(REJECTED)('waiting for %j, %j is rejected with %s', (ids, answer, code, detail) => {
  expect(() => answersTo(pendingInterrupts(...ids), answer)).toThrow(
    expect.objectContaining({ code, detail }),
  );
});

const ACCEPTED: [string[], Answer, object][] = [
  [['a'], { value: 1 }, { values: { a: 1 } }],
  [['a', 'b'], { values: { b: 2 } }, { values: { b: 2 } }],
  [['a'], { values: {}, goto: ['n'] }, { values: {}, goto: ['n'] }],
  [['a'], { values: {}, update: { x: 1 } }, { values: {}, update: { x: 1 } }],
  [['a'], { goto: ['n'] }, { values: {}, goto: ['n'] }],
  [[], { values: {} }, { values: {} }],
  [[], {}, { values: {} }],
];

test.each(ACCEPTED)('waiting for %j, %j is accepted', (ids, answer, expected) => {
  expect(answersTo(pendingInterrupts(...ids), answer)).toEqual(expected as never);
});

test('the text of an answer is the text itself or JSON, at most 200 characters', () => {
  expect([answerText('yes'), answerText({ a: 1 }), answerText(undefined)]).toEqual(['yes', '{"a":1}', '']);
  expect(answerText('x'.repeat(300))).toHaveLength(200);
});

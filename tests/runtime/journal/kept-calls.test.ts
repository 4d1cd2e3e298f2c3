/** The model calls that are kept in memory: how much of them, and for how long. */
import { expect, test } from 'bun:test';
import { keptCalls } from '../../../runtime/journal/kept-calls.ts';
import type { EndedCall } from '../../../tools/models/call.ts';

const call = (question: string, response: string | null = 'Yes.'): EndedCall => ({
  task: 'answer',
  model: 'm',
  messages: [{ role: 'user', content: question }],
  response,
  startedAt: 1,
  durationMs: 1,
  firstTokenMs: null,
  attempts: 1,
  usage: { inputTokens: 1, outputTokens: 1 },
});

const KIB = 1024;

test('the oldest runs make room for new ones, and what comes late for them is not kept', () => {
  const kept = keptCalls({ runs: 20, total: 10 * KIB, perRun: 4 * KIB, perText: 4 * KIB });
  const first = kept.open('r0', 'line');
  first.add(call('x'.repeat(1_000)));
  for (let run = 1; run < 20; run++) kept.open(`r${run}`, 'line').add(call('x'.repeat(1_000)));
  first.add(call('late'));
  const there = Array.from({ length: 20 }, (_, run) => kept.of(`r${run}`) !== undefined);
  expect(there.lastIndexOf(false)).toBe(there.indexOf(true) - 1);
  expect(there.filter(Boolean).length).toBe(3);
});

test("a run's texts are cut where its room ends, the question before the answer, and in the end whole calls are left out", () => {
  const kept = keptCalls({ runs: 20, total: 100 * KIB, perRun: 6 * KIB, perText: 4 * KIB });
  const run = kept.open('r', 'line');
  run.add(call('q'.repeat(10_000), 'a'.repeat(2_000)));
  for (let more = 0; more < 10; more++) run.add(call('q'.repeat(100), 'a'.repeat(100)));
  const { calls, leftOut } = kept.of('r') ?? { calls: [], leftOut: 0 };
  const first = calls[0]?.call;
  expect(first?.response).toBe('a'.repeat(2_000));
  expect(first?.messages[0]?.content).toMatch(/^q+… \[\d+ characters left out\]$/);
  expect(calls.length + leftOut).toBe(11);
  expect(leftOut).toBeGreaterThan(5);
  const characters = calls.flatMap(({ call: { response, messages } }) => [
    response ?? '',
    messages[0]?.content ?? '',
  ]);
  expect(characters.join('').length * 2).toBeLessThan(6 * KIB);
});

test('of many small runs the latest are kept', () => {
  const kept = keptCalls({ runs: 3, total: 100 * KIB, perRun: 4 * KIB, perText: 4 * KIB });
  for (let run = 0; run < 10; run++) kept.open(`r${run}`, 'line').add(call('x'));
  expect(Array.from({ length: 10 }, (_, run) => kept.of(`r${run}`)?.calls.length ?? 0)).toEqual([
    ...[0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
  ]);
});

test('the runs of a thread can be forgotten', () => {
  const kept = keptCalls();
  kept.open('a', 'one').add(call('a'));
  kept.open('b', 'two').add(call('b'));
  kept.forget('one');
  expect([kept.of('a'), kept.of('b')?.calls.length]).toEqual([undefined, 1]);
});

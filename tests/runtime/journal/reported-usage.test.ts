/** The usage that the events of a run report, each call once. */
import { expect, test } from 'bun:test';
import { knownUsage, reportedUsage } from '../../../runtime/journal/reported-usage.ts';
import type { NewEntry } from '../../../state/threads/events.ts';
import type { ModelCallEntry } from '../../../state/threads/run-trace.ts';

const call = (input_tokens: number): ModelCallEntry => ({
  ...{ model: 'm', task: 'answer', started_at: '', duration_ms: 1, first_token_ms: null, attempt: 1 },
  ...{ input_tokens, output_tokens: 1 },
});
const started: NewEntry = { kind: 'task', node: 'a', body: {} };
const agent = (state: 'finished' | 'failed', ...tokens: number[]): NewEntry => ({
  ...{ kind: 'task_end', node: 'a' },
  body: { state, duration_ms: 1, calls: tokens.map(call) },
});
const step = (...tokens: number[]): NewEntry => ({
  ...{ kind: 'task_end', node: 's' },
  body: { agent: 'a', part: 's', state: 'finished', duration_ms: 1, calls: tokens.map(call) },
});

function reported(...entries: NewEntry[]) {
  const usage = reportedUsage();
  for (const entry of entries) usage.note(entry);
  return usage.total;
}

test.each([
  ['an agent', [started, agent('finished', 10)], 10],
  ['an agent that runs twice', [agent('finished', 10), agent('finished', 5)], 15],
  ['steps before their agent ends', [started, step(10), step(5)], 15],
  ['steps whose agent ends', [started, step(10), step(5), agent('finished', 10, 5)], 15],
  [
    'an agent that was interrupted after a step and continues',
    [step(10), agent('failed', 10, 3), step(5)],
    18,
  ],
  ['the same agent at its end', [step(10), agent('failed', 10, 3), step(5), agent('finished', 10, 3, 5)], 18],
])('%s', (_, events, tokens) => {
  expect(reported(...events).inputTokens).toBe(tokens);
});

test('the larger of the stored and the reported usage counts, for each model', () => {
  const usage = reported(agent('finished', 10));
  const m = { inputTokens: 10, outputTokens: 1 };
  expect(knownUsage({ inputTokens: 0, outputTokens: 0 }, usage)).toEqual({
    ...m,
    models: new Map([['m', m]]),
  });
  const n = { inputTokens: 20, outputTokens: 0, cost: 0.5 };
  const written = { inputTokens: 30, outputTokens: 0, models: new Map([['n', n]]) };
  expect(knownUsage(written, usage)).toEqual({
    ...{ inputTokens: 30, outputTokens: 1, cost: 0.5 },
    models: new Map([
      ['m', m],
      ['n', n],
    ]),
  });
});

test('the cost of a step is counted once', () => {
  const priced: ModelCallEntry = { ...call(10), cost: 0.1 };
  const end = { state: 'finished' as const, duration_ms: 1, calls: [priced] };
  const total = reported(
    { kind: 'task_end', node: 's', body: { agent: 'a', part: 's', ...end } },
    { kind: 'task_end', node: 'a', body: { ...end, calls: [priced, { ...priced, cost: 0.2 }] } },
  );
  expect(total).toMatchObject({ inputTokens: 20, cost: 0.3 });
});

/** What the events of a run say that was used, each call once. */
import { expect, test } from 'bun:test';
import { knownUsage, toldUsage } from '../../../runtime/journal/reported-usage.ts';
import type { RunEvent } from '../../../state/events.ts';
import type { ModelCallEntry } from '../../../state/run-trace.ts';

const call = (input_tokens: number): ModelCallEntry => ({
  ...{ model: 'm', task: 'answer', started_at: '', duration_ms: 1, first_token_ms: null, attempt: 1 },
  ...{ input_tokens, output_tokens: 1 },
});
const agent = (state: 'started' | 'finished' | 'failed', ...tokens: number[]): RunEvent => {
  const calls = state === 'started' ? {} : { calls: tokens.map(call) };
  return { event: 'agent', data: { agent: 'a', state, attempt: 1, ...calls } };
};
const step = (...tokens: number[]): RunEvent => ({
  event: 'status',
  data: { agent: 'a', text: 's', step: 's', state: 'finished', calls: tokens.map(call) },
});

function told(...events: RunEvent[]) {
  const usage = toldUsage();
  for (const event of events) usage.note(event);
  return usage.total;
}

test.each([
  ['an agent', [agent('started'), agent('finished', 10)], 10],
  ['one that works twice', [agent('finished', 10), agent('finished', 5)], 15],
  ['steps before their agent ends', [agent('started'), step(10), step(5)], 15],
  ['steps whose agent ends', [agent('started'), step(10), step(5), agent('finished', 10, 5)], 15],
  ['an agent that was cut off after a step and goes on', [step(10), agent('failed', 10, 3), step(5)], 18],
  ['the same at its end', [step(10), agent('failed', 10, 3), step(5), agent('finished', 10, 3, 5)], 18],
])('%s', (_, events, tokens) => {
  expect(told(...events).inputTokens).toBe(tokens);
});

test('what was written counts where it is more', () => {
  const usage = told(agent('finished', 10));
  expect(knownUsage({ inputTokens: 0, outputTokens: 0 }, usage)).toEqual({
    inputTokens: 10,
    outputTokens: 1,
  });
  expect(knownUsage({ inputTokens: 30, outputTokens: 0 }, usage)).toEqual({
    inputTokens: 30,
    outputTokens: 1,
  });
});

/** The model calls that are recorded in memory, and their limits. */
import { describe, expect, test } from 'bun:test';
import type { SentPrompt } from '../../../graphs/authoring/run-context.ts';
import { recordedCalls } from '../../../runtime/journal/recorded-calls.ts';
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

test('the oldest runs are dropped for new ones, and later calls of theirs are not recorded', () => {
  const records = recordedCalls({ runs: 20, total: 10 * KIB, perRun: 4 * KIB, perText: 4 * KIB });
  const first = records.open('r0', 'line');
  first.add(call('x'.repeat(1_000)));
  for (let run = 1; run < 20; run++) records.open(`r${run}`, 'line').add(call('x'.repeat(1_000)));
  first.add(call('late'));
  const there = Array.from({ length: 20 }, (_, run) => records.of(`r${run}`) !== undefined);
  expect(there.lastIndexOf(false)).toBe(there.indexOf(true) - 1);
  expect(there.filter(Boolean).length).toBe(3);
});

test("a run's texts are cut at its limit, the question before the answer, and then whole calls are left out", () => {
  const kept = recordedCalls({ runs: 20, total: 100 * KIB, perRun: 6 * KIB, perText: 4 * KIB });
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

test('the latest of many small runs are kept', () => {
  const kept = recordedCalls({ runs: 3, total: 100 * KIB, perRun: 4 * KIB, perText: 4 * KIB });
  for (let run = 0; run < 10; run++) kept.open(`r${run}`, 'line').add(call('x'));
  expect(Array.from({ length: 10 }, (_, run) => kept.of(`r${run}`)?.calls.length ?? 0)).toEqual([
    ...[0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
  ]);
});

test('the runs of a thread can be dropped', () => {
  const kept = recordedCalls();
  kept.open('a', 'one').add(call('a'));
  kept.open('b', 'two').add(call('b'));
  kept.forget('one');
  expect([kept.of('a'), kept.of('b')?.calls.length]).toEqual([undefined, 1]);
});

describe('the data for sending a call again', () => {
  const used = { filename: 'f.jinja', revision_id: 'default', version: 0, sha256: 'x' };
  const by = (prompts: SentPrompt[]) => ({ agent: 'a', step: null, prompts });
  const prompt = (end: number, variables: Record<string, unknown> = {}): SentPrompt => ({
    ...{ ...used, variables, place: { message: 0, start: 0, end } },
  });
  function kept(ended: EndedCall, prompts: SentPrompt[] = [], perText = 4 * KIB) {
    const calls = recordedCalls({ runs: 20, total: 100 * KIB, perRun: 20 * KIB, perText });
    calls.open('r', 'line').add(ended, by(prompts));
    return calls.of('r')?.calls[0];
  }

  test('tools, sampling parameters and tool calls are recorded, and images are not', () => {
    const asked = { temperature: 0.5, format: { tools: [{ type: 'function', function: { name: 'f' } }] } };
    const called = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const whole: EndedCall = {
      ...{ ...call(''), asked, messages: [{ role: 'assistant', content: 'Now\nf({})' }] },
      sent: [{ role: 'assistant', content: 'Now', tool_calls: [called] }],
    };
    expect(kept(whole)).toMatchObject({
      isWhole: true,
      call: {
        asked,
        messages: [
          { content: 'Now\nf({})', text: 'Now', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
        ],
      },
    });
    const picture = [{ type: 'image_url', image_url: { url: 'data:canary' } }];
    const drawn = kept({ ...whole, sent: [{ role: 'user', content: picture }] });
    expect(drawn?.isWhole).toBe(false);
    expect(JSON.stringify(drawn)).not.toContain('canary');
  });

  test('a call with a tool call of another kind is incomplete', () => {
    const custom = { id: 'c', type: 'custom', custom: { name: 'f', input: '' } };
    const unnamed = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const sent = (tool_call: object) => ({
      ...{ ...call(''), asked: {}, messages: [{ role: 'assistant' as const, content: 'f({})' }] },
      sent: [{ role: 'assistant', content: null, tool_calls: [tool_call] }],
    });
    expect(kept(sent(custom))?.isWhole).toBe(false);
    expect(kept(sent(unnamed))).toMatchObject({
      isWhole: true,
      call: { messages: [{ text: '', toolCalls: [{ id: '', name: 'f', arguments: '{}' }] }] },
    });
  });

  test('a call is incomplete if its text was cut, or its tools exceed the limit or are unknown', () => {
    const asked = { format: { tools: [{ description: 'd'.repeat(3_000) }] } };
    expect(kept({ ...call('q'), asked: {} })?.isWhole).toBe(true);
    expect(kept({ ...call('q'.repeat(5_000)), asked: {} })?.isWhole).toBe(false);
    expect(kept({ ...call('q'), asked })).toMatchObject({ isWhole: false, call: { asked: {} } });
    expect(kept(call('q'))?.isWhole).toBe(false);
  });

  test('variables are copied if they are JSON, and the place of a file is known if its message was not cut', () => {
    const variables = { category: { name: 'support' } };
    const first = kept({ ...call('q'.repeat(10)), asked: {} }, [prompt(10, variables)]);
    variables.category.name = 'changed';
    expect(first?.by.prompts).toEqual([
      { ...used, place: { message: 0, start: 0, end: 10 }, variables: { category: { name: 'support' } } },
    ]);
    const cut = kept({ ...call('q'.repeat(5_000)), asked: {} }, [prompt(5_000)]);
    expect(cut?.by.prompts).toEqual([{ ...used, variables: {} }]);
    const round: Record<string, unknown> = {};
    round.self = round;
    expect(kept(call('q'), [prompt(1, round)])?.by.prompts[0]).not.toContainKey('variables');
    expect(kept(call('q'), [prompt(1, { long: 'x'.repeat(3_000) })])?.by.prompts[0]).not.toContainKey(
      'variables',
    );
  });
});

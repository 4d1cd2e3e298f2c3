/** The model calls that are recorded in memory, and their limits. */
import { describe, expect, test } from 'bun:test';
import type { SentPrompt } from '../../../graphs/authoring/run/run-context.ts';
import { recordedCalls } from '../../../runtime/journal/recorded-calls.ts';
import type { EndedCall } from '../../../tools/models/call/call.ts';

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

test('the oldest runs are dropped to make room for new ones, and their later calls are not recorded', () => {
  const records = recordedCalls({ runs: 20, total: 10 * KIB, perRun: 4 * KIB, perText: 4 * KIB });
  const first = records.open('r0', 'line');
  first.add(call('x'.repeat(1_000)));
  for (let run = 1; run < 20; run++) records.open(`r${run}`, 'line').add(call('x'.repeat(1_000)));
  first.add(call('late'));
  const isRecorded = Array.from({ length: 20 }, (_, run) => records.of(`r${run}`) !== undefined);
  expect(isRecorded.lastIndexOf(false)).toBe(isRecorded.indexOf(true) - 1);
  expect(isRecorded.filter(Boolean).length).toBe(3);
});

test("a run's texts are cut at its limit, the question before the answer, and then whole calls are left out", () => {
  const records = recordedCalls({ runs: 20, total: 100 * KIB, perRun: 6 * KIB, perText: 4 * KIB });
  const run = records.open('r', 'line');
  run.add(call('q'.repeat(10_000), 'a'.repeat(2_000)));
  for (let more = 0; more < 10; more++) run.add(call('q'.repeat(100), 'a'.repeat(100)));
  const { calls, leftOut } = records.of('r') ?? { calls: [], leftOut: 0 };
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
  const records = recordedCalls({ runs: 3, total: 100 * KIB, perRun: 4 * KIB, perText: 4 * KIB });
  for (let run = 0; run < 10; run++) records.open(`r${run}`, 'line').add(call('x'));
  expect(Array.from({ length: 10 }, (_, run) => records.of(`r${run}`)?.calls.length ?? 0)).toEqual([
    ...[0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
  ]);
});

test('the runs of a thread can be dropped', () => {
  const records = recordedCalls();
  records.open('a', 'one').add(call('a'));
  records.open('b', 'two').add(call('b'));
  records.forget('one');
  expect([records.of('a'), records.of('b')?.calls.length]).toEqual([undefined, 1]);
});

describe('the data for replaying a call', () => {
  const used = { filename: 'f.jinja', revision_id: 'default', version: 0, sha256: 'x' };
  const by = (prompts: SentPrompt[]) => ({ agent: 'a', step: null, prompts });
  const prompt = (end: number, variables: Record<string, unknown> = {}): SentPrompt => ({
    ...{ ...used, variables, place: { message: 0, start: 0, end } },
  });
  function record(ended: EndedCall, prompts: SentPrompt[] = [], perText = 4 * KIB) {
    const calls = recordedCalls({ runs: 20, total: 100 * KIB, perRun: 20 * KIB, perText });
    calls.open('r', 'line').add(ended, by(prompts));
    return calls.of('r')?.calls[0];
  }

  test('tools, sampling parameters and tool calls are recorded, and images are not', () => {
    const parameters = {
      temperature: 0.5,
      format: { tools: [{ type: 'function', function: { name: 'f' } }] },
    };
    const toolCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const complete: EndedCall = {
      ...{ ...call(''), parameters, messages: [{ role: 'assistant', content: 'Now\nf({})' }] },
      sent: [{ role: 'assistant', content: 'Now', tool_calls: [toolCall] }],
    };
    expect(record(complete)).toMatchObject({
      isWhole: true,
      call: {
        parameters,
        messages: [
          { content: 'Now\nf({})', text: 'Now', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
        ],
      },
    });
    const image = [{ type: 'image_url', image_url: { url: 'data:canary' } }];
    const withImage = record({ ...complete, sent: [{ role: 'user', content: image }] });
    expect(withImage?.isWhole).toBe(false);
    expect(JSON.stringify(withImage)).not.toContain('canary');
  });

  test('a call with a tool call of an unknown type is incomplete', () => {
    const custom = { id: 'c', type: 'custom', custom: { name: 'f', input: '' } };
    const unnamed = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const sent = (tool_call: object) => ({
      ...{ ...call(''), parameters: {}, messages: [{ role: 'assistant' as const, content: 'f({})' }] },
      sent: [{ role: 'assistant', content: null, tool_calls: [tool_call] }],
    });
    expect(record(sent(custom))?.isWhole).toBe(false);
    expect(record(sent(unnamed))).toMatchObject({
      isWhole: true,
      call: { messages: [{ text: '', toolCalls: [{ id: '', name: 'f', arguments: '{}' }] }] },
    });
  });

  test('a call is incomplete if its text was cut, or its tools exceed the limit or are unknown', () => {
    const parameters = { format: { tools: [{ description: 'd'.repeat(3_000) }] } };
    expect(record({ ...call('q'), parameters: {} })?.isWhole).toBe(true);
    expect(record({ ...call('q'.repeat(5_000)), parameters: {} })?.isWhole).toBe(false);
    expect(record({ ...call('q'), parameters })).toMatchObject({
      isWhole: false,
      call: { parameters: {} },
    });
    expect(record(call('q'))?.isWhole).toBe(false);
  });

  test('variables are copied if they are JSON, and the place of a file is known if its message was not cut', () => {
    const variables = { category: { name: 'support' } };
    const first = record({ ...call('q'.repeat(10)), parameters: {} }, [prompt(10, variables)]);
    variables.category.name = 'changed';
    expect(first?.by.prompts).toEqual([
      { ...used, place: { message: 0, start: 0, end: 10 }, variables: { category: { name: 'support' } } },
    ]);
    const cut = record({ ...call('q'.repeat(5_000)), parameters: {} }, [prompt(5_000)]);
    expect(cut?.by.prompts).toEqual([{ ...used, variables: {} }]);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(record(call('q'), [prompt(1, cyclic)])?.by.prompts[0]).not.toContainKey('variables');
    expect(record(call('q'), [prompt(1, { long: 'x'.repeat(3_000) })])?.by.prompts[0]).not.toContainKey(
      'variables',
    );
  });
});

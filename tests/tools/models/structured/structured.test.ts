/** A value of a shape: read from the answer, checked against the schema, repaired once. */
import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import type { ModelOptions } from '../../../../tools/models/options.ts';
import { extract } from '../../../../tools/models/structured/structured.ts';
import type { Script } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { CANARY, detailOf, endpointTo, passing, REQUEST, recordedRun } from '../scripted.ts';

const Size = Type.Union([Type.Number(), Type.Literal('unknown')]);
const schema = Type.Object({ city: Type.String(), size: Size }, { additionalProperties: false });
const BONN = { city: 'Bonn', size: 3 };

const provider = sharedProvider();

function ask(replies: Script | (string | object)[], more: Partial<ModelOptions> = {}, run = recordedRun()) {
  provider.script =
    typeof replies === 'function' ? replies : (_, index) => replies[index] ?? replies.at(-1) ?? '';
  return extract(
    [endpointTo(provider.url, more)],
    REQUEST,
    { name: 'place', schema },
    { context: run, modes: new Map() },
  );
}

test("the schema is sent with the request, and the value is returned with the model's name", async () => {
  expect(await ask([BONN])).toEqual({ value: BONN, model: 'test-model' });
  expect(provider.requests[0]?.response_format as object).toEqual({
    type: 'json_schema',
    json_schema: { name: 'place', schema: JSON.parse(JSON.stringify(schema)), strict: true },
  });
});

test.each([
  ['in a fence', `\`\`\`json\n${JSON.stringify(BONN, null, 2)}\n\`\`\``],
  ['within prose', `Here you are: ${JSON.stringify(BONN)}. Anything else?`],
  ['after blank lines', `\n\n ${JSON.stringify(BONN)}\n`],
])('JSON %s is read', async (_, text) => {
  expect((await ask([text])).value).toEqual(BONN);
  expect(provider.requests).toHaveLength(1);
});

describe('JSON that breaks the schema', () => {
  const BROKEN: [string, object, string][] = [
    ['lacks a field', { city: 'Bonn' }, '/size Expected required property'],
    ['has a wrong type', { city: [CANARY], size: 3 }, '/city Expected string'],
    ['has a value outside of a closed set', { city: 'Bonn', size: CANARY }, '/size Expected union value'],
    ['is a list', [BONN, BONN], '/ Expected object'],
  ];

  test.each(BROKEN)('(%s) gets one repair, with the errors and the schema', async (_, broken, complaint) => {
    expect((await ask([broken, BONN])).value).toEqual(BONN);
    expect(provider.requests).toHaveLength(2);
    const [first, second] = provider.requests;
    expect(second?.response_format).toEqual(first?.response_format ?? { type: '' });
    const [question, rejected, correction] = second?.messages ?? [];
    expect(question).toEqual(REQUEST.messages[0]);
    expect(rejected).toEqual({ role: 'assistant', content: JSON.stringify(broken) });
    expect(correction?.content).toStartWith(
      `This cannot be used: ${complaint}. Answer again with one JSON object only`,
    );
    expect(correction?.content).toEndWith(JSON.stringify(schema));
  });

  test.each(BROKEN)(
    '(%s) and breaks it again fails with an error that has none of its text',
    async (_, broken, complaint) => {
      const detail = await detailOf(ask([broken]));
      expect(detail).toBe(`Model 'test-model' returned no valid 'place' (${complaint.replace(/^\S+ /, '')})`);
      expect(provider.requests).toHaveLength(2);
    },
  );

  test('is quoted partially if it is long', async () => {
    await ask([{ city: 'x'.repeat(100_000) }, BONN]);
    expect(provider.requests[1]?.messages[1]?.content).toHaveLength(4_000);
  });

  test('and is followed by prose in the repair fails', async () => {
    expect(await detailOf(ask([{ city: 'Bonn' }, CANARY]))).toBe(
      "Model 'test-model' returned no valid 'place' (the answer is not JSON)",
    );
    expect(provider.requests).toHaveLength(2);
  });
});

test('a failing provider has three attempts, and no other mode is tried', async () => {
  expect(await detailOf(ask(() => passing(500)))).toBe("Model 'test-model': the provider answered 500");
  expect(provider.requests.map(({ response_format }) => response_format?.type)).toEqual(
    Array(3).fill('json_schema'),
  );
});

test('every call of an extraction counts', async () => {
  const run = recordedRun();
  await ask([{ city: 'Bonn' }, BONN], {}, run);
  expect(run.used).toEqual({ inputTokens: 40, outputTokens: 20 });
});

test('every call of an extraction is checked against the budget', async () => {
  const call = ask([{ city: 'Bonn' }, BONN], {}, recordedRun({ budget: 100 }));
  expect(await detailOf(call, 'BUDGET_EXCEEDED')).toStartWith('30 tokens are used');
  expect(provider.requests).toHaveLength(1);
});

test('text of small models around and in the JSON needs no repair', async () => {
  const reply =
    '<think>{"city": "Köln"}?</think>Sure!\n```json\n[{"city": "Bonn", "size": "3", "why": "big"},]\n```';
  expect((await ask([reply])).value).toEqual(BONN);
  expect(provider.requests).toHaveLength(1);
});

test('a key with a special meaning in JavaScript is dropped', async () => {
  const text = '{"city": "Bonn", "size": 3, "__proto__": {"polluted": true}}';
  const { value } = await ask([text]);
  expect(Object.getOwnPropertyNames(value)).toEqual(['city', 'size']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

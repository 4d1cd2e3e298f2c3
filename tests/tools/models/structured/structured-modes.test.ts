/** How a model is asked for JSON: in the strictest mode that its provider supports, which is detected once. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import type { GuardedEndpoint } from '../../../../tools/models/call/call.ts';
import type { ModelOptions } from '../../../../tools/models/options.ts';
import { extract, type Mode, type Modes } from '../../../../tools/models/structured/structured.ts';
import type { ChatRequest, Reply } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import { detailOf, endpointTo, passing, REQUEST, recordedRun, refusal } from '../scripted.ts';

const schema = Type.Object({ city: Type.String() });
const BONN = { city: 'Bonn' };

const provider = sharedProvider(() => () => BONN);
let modes: Modes;

beforeEach(() => {
  modes = new Map();
});

function modeOf({ response_format, tools, messages }: ChatRequest): Mode | 'none' {
  if (response_format?.type === 'json_schema') return 'json_schema';
  if (tools) return 'tool';
  const isInPrompt = messages[0]?.content.includes('one JSON object') ?? false;
  if (response_format?.type === 'json_object' && isInPrompt) return 'json';
  return isInPrompt ? 'prompt' : 'none';
}

const tried = () => provider.requests.map(modeOf);

type Replies = Partial<Record<Mode | 'none', () => Reply>>;

function answer(replies: Replies): void {
  provider.script = (request) => (replies[modeOf(request)] ?? (() => BONN))();
}

function ask(more: Partial<ModelOptions> = {}, chain: GuardedEndpoint[] = [endpointTo(provider.url, more)]) {
  return extract(chain, REQUEST, { name: 'place', schema }, { context: recordedRun(), modes });
}

const noFormat = () => refusal(400, { message: "'response_format' of this type is not supported" });
const noTools = () => refusal(400, { message: 'tools are not supported' });
const prose = () => 'It is about Bonn.';

const WAYS: [string, Replies, Mode[]][] = [
  ['knows schemas', {}, ['json_schema']],
  ['refuses schemas', { json_schema: noFormat }, ['json_schema', 'tool']],
  ['refuses schemas and tools', { json_schema: noFormat, tool: noTools }, ['json_schema', 'tool', 'json']],
  [
    'refuses all fields',
    { json_schema: noFormat, tool: noTools, json: noFormat },
    ['json_schema', 'tool', 'json', 'prompt'],
  ],
  ['ignores schemas', { json_schema: prose }, ['json_schema', 'tool']],
  ['ignores schemas and tools', { json_schema: prose, tool: prose }, ['json_schema', 'tool', 'json']],
  [
    'ignores schemas and rejects tools',
    { json_schema: prose, tool: noTools },
    ['json_schema', 'tool', 'json'],
  ],
];

describe('a provider that', () => {
  test.each(WAYS)('%s returns a value, and its missing feature is tried once', async (_, replies, ways) => {
    answer(replies);
    expect((await ask()).value).toEqual(BONN);
    expect(tried()).toEqual(ways);
    provider.requests.length = 0;
    expect((await ask()).value).toEqual(BONN);
    expect(tried()).toEqual(ways.slice(-1));
  });

  test('answers everything with prose gets one repair at the end', async () => {
    answer({ json_schema: prose, tool: prose, json: prose });
    expect(await detailOf(ask())).toBe(
      "Model 'test-model' returned no valid 'place' (the answer is not JSON)",
    );
    expect(tried()).toEqual(['json_schema', 'tool', 'json', 'json']);
    expect(modes.size).toBe(0);
  });

  test.each([
    'Unknown parameter',
    'guided decoding needs another backend',
    'failed to parse grammar',
    'Extra inputs are not permitted',
    '',
  ])(
    'rejects the request without naming the field (%j) is asked in plain text, and remembered',
    async (message) => {
      const vague = () => refusal(400, { message });
      answer({ json_schema: vague, tool: vague, json: vague });
      for (const ways of [['json_schema', 'prompt'], ['prompt']] as const) {
        provider.requests.length = 0;
        expect((await ask()).value).toEqual(BONN);
        expect(tried()).toEqual([...ways]);
      }
    },
  );

  test('rejects the request in an unusual form is understood', async () => {
    const own = () =>
      Response.json(
        { detail: [{ loc: ['body', 'response_format'], msg: 'Extra inputs are not permitted' }] },
        { status: 422 },
      );
    answer({ json_schema: own, tool: noTools, json: own });
    expect((await ask()).value).toEqual(BONN);
    expect(tried()).toEqual(['json_schema', 'tool', 'json', 'prompt']);
  });

  test('rejects the request for another reason is called once', async () => {
    answer({ json_schema: () => refusal(400, { message: 'temperature is too high' }) });
    expect(await detailOf(ask())).toBe(
      "Model 'test-model': the provider answered 400: temperature is too high",
    );
    expect(tried()).toEqual(['json_schema']);
  });

  test('rejects plain text too fails with the first error', async () => {
    const vague = (message: string) => () => refusal(400, { message });
    answer({ json_schema: vague('Unknown field'), prompt: vague('Unknown field again') });
    expect(await detailOf(ask())).toBe("Model 'test-model': the provider answered 400: Unknown field");
    expect(tried()).toEqual(['json_schema', 'prompt']);
    expect(modes.size).toBe(0);
  });

  test.each([
    [401, { message: 'no such key' }],
    [400, { code: 'context_length_exceeded', message: 'too long' }],
  ])('rejects the request with %i %j is called once', async (status, error) => {
    answer({ json_schema: () => refusal(status, error) });
    await detailOf(ask());
    expect(tried()).toEqual(['json_schema']);
  });

  test('rejects everything fails with its last error', async () => {
    answer({ json_schema: noFormat, tool: noTools, json: noFormat, prompt: () => refusal(422) });
    expect(await detailOf(ask())).toBe("Model 'test-model': the provider answered 422");
  });
});

describe('structured_output', () => {
  test.each(['json_schema', 'tool', 'json'] as const)('%s is the only mode', async (mode) => {
    expect((await ask({ structured_output: mode })).value).toEqual(BONN);
    expect(tried()).toEqual([mode]);
  });

  test.each(['json_schema', 'tool', 'json'] as const)(
    '%s falls back to plain text if it is rejected',
    async (mode) => {
      answer({ [mode]: mode === 'tool' ? noTools : noFormat });
      expect((await ask({ structured_output: mode })).value).toEqual(BONN);
      expect(tried()).toEqual([mode, 'prompt']);
    },
  );

  test.each(['json_schema', 'tool', 'json'] as const)(
    '%s that is answered with prose gets one repair',
    async (mode) => {
      let count = 0;
      answer({ [mode]: () => (count++ === 0 ? 'Bonn it is.' : BONN) });
      expect((await ask({ structured_output: mode })).value).toEqual(BONN);
      expect(tried()).toEqual([mode, mode]);
    },
  );
});

describe('with a fallback model', () => {
  const chain = () => ['a', 'b'].map((model) => endpointTo(provider.url, { model, max_retries: 0 }));
  const calls = () => provider.requests.map((request) => `${request.model} ${modeOf(request)}`);

  test('if a model rejects one mode, another one is tried before the fallback', async () => {
    answer({ json_schema: noFormat });
    expect(await ask({}, chain())).toEqual({ value: BONN, model: 'a' });
    expect(calls()).toEqual(['a json_schema', 'a tool']);
  });

  test('each model has its own mode', async () => {
    provider.script = (request) => {
      if (request.model === 'a') return passing(500);
      return modeOf(request) === 'json_schema' ? noFormat() : BONN;
    };
    expect(await ask({}, chain())).toEqual({ value: BONN, model: 'b' });
    expect([...modes]).toEqual([['b', 'tool']]);
    provider.requests.length = 0;
    await ask({}, chain());
    expect(calls()).toEqual(['a json_schema', 'b tool']);
  });

  test("if a model's answers never match, the fallback is called; if that fails too, the first error is thrown", async () => {
    provider.script = ({ model }) => (model === 'a' ? { town: 1 } : BONN);
    expect(await ask({}, chain())).toEqual({ value: BONN, model: 'b' });
    provider.script = ({ model }) => (model === 'a' ? { town: 1 } : refusal(401));
    expect(await detailOf(ask({}, chain()))).toStartWith("Model 'a' returned no valid 'place'");
  });
});

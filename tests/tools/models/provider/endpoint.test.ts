/** A complete answer of the provider: text as it arrives, tool calls, usage, and the forms in which providers send them. */
import { describe, expect, test } from 'bun:test';
import { type CompletionRequest, openEndpoint } from '../../../../tools/models/provider/endpoint.ts';
import { completion, type Script, USAGE } from '../../../support/provider.ts';
import { sharedProvider } from '../../../support/shared-provider.ts';
import {
  event,
  finishing,
  flowing,
  modelAt,
  providerErrorOf,
  REQUEST,
  reporting,
  stream,
} from '../scripted.ts';

const USED = { inputTokens: 20, outputTokens: 10 };
const TOOL = { tools: [{ type: 'function', function: { name: 'shape', parameters: {} } }] };

const provider = sharedProvider();

function ask(script: Script, more: Partial<CompletionRequest> = {}, onToken?: (text: string) => void) {
  provider.script = script;
  const { complete } = openEndpoint(modelAt(provider.url));
  return complete({ ...REQUEST, ...more }, new AbortController().signal, ({ text }) => onToken?.(text));
}

test('the text arrives token by token, with the usage', async () => {
  const tokens: string[] = [];
  const answer = await ask(
    () => 'Stop and send a photo.',
    {},
    (text) => tokens.push(text),
  );
  expect(answer).toEqual({ text: 'Stop and send a photo.', toolCalls: [], finish: 'stop', usage: USED });
  expect(tokens).toEqual(['Stop ', 'and ', 'send ', 'a ', 'photo.']);
});

test('a token is passed on before the provider sends the next one', async () => {
  const seen = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let count = 0;
  async function* slowly() {
    yield event('one ');
    expect(await seen[0]?.promise).toBe('one ');
    yield event('two');
    expect(await seen[1]?.promise).toBe('two');
    yield event(finishing('stop'));
  }
  const answer = await ask(
    () => flowing(slowly()),
    {},
    (text) => seen[count++]?.resolve(text),
  );
  expect(answer.text).toBe('one two');
});

test("the request is as specified, and doesn't reveal its task", async () => {
  await ask(() => 'ok', { temperature: 0.3, format: { response_format: { type: 'json_object' } } });
  expect(provider.requests[0] as object).toEqual({
    model: 'test-model',
    messages: REQUEST.messages,
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.3,
    response_format: { type: 'json_object' },
  });
  expect(provider.headers[0]?.get('x-skein-task')).toBeNull();
});

describe('a tool call', () => {
  const called = (index: number, piece: string, head: { id?: string; name?: string } = {}) => {
    const call = { index, id: head.id, function: { name: head.name, arguments: piece } };
    return { choices: [{ index: 0, delta: { tool_calls: [call] } }] };
  };

  test('may arrive in parts, interleaved with another', async () => {
    const parts = [
      called(0, '{"a', { id: 'one', name: 'add' }),
      called(1, '{"other": 1}', { id: 'two', name: 'more' }),
      called(0, '": 1}', { id: 'one', name: 'add' }),
      finishing('tool_calls'),
      reporting(USAGE),
    ];
    expect(await ask(() => stream(...parts), { format: TOOL })).toEqual({
      text: '',
      toolCalls: [
        { id: 'one', name: 'add', arguments: '{"a": 1}' },
        { id: 'two', name: 'more', arguments: '{"other": 1}' },
      ],
      finish: 'tool_calls',
      usage: USED,
    });
  });

  test('without arguments is valid, and gets an id if the provider sends none', async () => {
    const parts = [called(0, '', { name: 'now' }), finishing('tool_calls')];
    const { toolCalls } = await ask(() => stream(...parts), { format: TOOL });
    expect(toolCalls).toEqual([{ id: expect.stringMatching(/^call_/), name: 'now', arguments: '' }]);
  });

  test("whose arguments aren't text has no arguments", async () => {
    const call = { index: 0, function: { arguments: { a: 1 } } };
    const odd = {
      choices: [{ index: 0, delta: { content: 'text', tool_calls: [call] }, finish_reason: 'stop' }],
    };
    const { toolCalls } = await ask(() => stream(odd, reporting(USAGE)), { format: TOOL });
    expect(toolCalls).toMatchObject([{ arguments: '' }]);
  });
});

describe('a provider that ignores stream: true', () => {
  test('sends one document, whose text is one token', async () => {
    const tokens: string[] = [];
    const script: Script = (request) => completion('the whole answer', { ...request, stream: false });
    expect(await ask(script, {}, (text) => tokens.push(text))).toEqual({
      text: 'the whole answer',
      toolCalls: [],
      finish: 'stop',
      usage: USED,
    });
    expect(tokens).toEqual(['the whole answer']);
  });

  test('calls a tool in it', async () => {
    const script: Script = (request) => completion('{"a": 1}', { ...request, stream: false });
    const toolCalls = [{ id: 'call', name: 'shape', arguments: '{"a": 1}' }];
    expect(await ask(script, { format: TOOL })).toMatchObject({ toolCalls, usage: USED });
  });
});

describe('the length of an answer', () => {
  const short = () => stream('It is', finishing('length'), reporting(USAGE));

  test('has a limit, which is sent with the name that the model supports', async () => {
    expect(await ask(short, { maxTokens: 2 })).toMatchObject({ text: 'It is', finish: 'length' });
    const reasoning = openEndpoint(modelAt(provider.url, { model: 'o4-mini' }));
    await reasoning.complete({ ...REQUEST, maxTokens: 2, stop: ['.'] }, new AbortController().signal);
    expect(provider.requests as object[]).toMatchObject([
      { max_tokens: 2 },
      { max_completion_tokens: 2, stop: ['.'] },
    ]);
  });

  test('is an error if the answer is cut off without a requested limit', async () => {
    expect(await providerErrorOf(ask(short))).toMatchObject({ failure: 'incomplete', usage: USED });
  });
});

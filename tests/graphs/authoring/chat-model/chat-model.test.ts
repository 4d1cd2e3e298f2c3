/** `chatModel()` has the behaviour that LangChain's own tests require of a chat model, in a node of a graph and with a provider on a real socket. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import { z } from 'zod';
import { chatModel } from '../../../../graphs/skein.ts';
import { type ChatRequest, type Provider, scriptedProvider, USAGE } from '../../../support/provider.ts';
import { type TestService, testService } from '../../../support/service.ts';
import {
  event,
  finishing,
  hanging,
  passing,
  refusal,
  reporting,
  stream,
} from '../../../tools/models/scripted.ts';
import { inRun, TRIED } from './node-of-test.ts';
import { calling, saying } from './tool-replies.ts';

const ALL_IS_WELL = 'All is well.';
const USED = { input_tokens: 20, output_tokens: 10, total_tokens: 30 };
const CONFIG = `models:
  - {model: first, base_url: URL, api_key: k, max_retries: 1, fallbacks: [second]}
  - {model: second, base_url: URL, api_key: k, max_retries: 0}
workflows: {tried: {temperature: 0.4}}`;

let provider: Provider;
let service: TestService;

beforeAll(async () => {
  provider = scriptedProvider();
  service = await testService({ graphs: TRIED, config: CONFIG.replaceAll('URL', provider.url) });
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = () => ALL_IS_WELL;
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const add = tool(({ a, b }: { a: number; b: number }) => a + b, {
  name: 'add',
  description: 'Adds two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});
const ADD = { id: 'one', name: 'add', args: '{"a":1,"b":2}' };

/** The request, including fields that the types of chat don't have. */
// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary fields of a request
const sent = (index = 0) => provider.requests[index] as any;

describe('an answer', () => {
  test('is a message with its usage and the name of the model', async () => {
    const { value } = await inRun(service, (_, config) => chatModel().invoke('How is it?', config));
    expect(value).toBeInstanceOf(AIMessage);
    expect(value.content).toBe(ALL_IS_WELL);
    expect(value.usage_metadata).toEqual(USED);
    expect(value.response_metadata).toMatchObject({ model_name: 'first', finish_reason: 'stop' });
    expect(sent()).toMatchObject({ model: 'first', messages: [{ role: 'user', content: 'How is it?' }] });
  });

  test('is streamed in chunks that join to the message', async () => {
    const { value } = await inRun(service, async (_, config) =>
      Array.fromAsync(await chatModel().stream('How is it?', config)),
    );
    expect(value.map(({ content }) => content)).toEqual(['All ', 'is ', 'well.', '']);
    const message = value.reduce((all, piece) => concat(all, piece));
    expect(message).toBeInstanceOf(AIMessageChunk);
    expect(message.usage_metadata).toMatchObject(USED);
    expect(message.response_metadata).toEqual({ model_name: 'first', finish_reason: 'stop' });
    expect(new Set(value.map(({ id }) => id)).size).toBe(1);
  });

  test('is returned for each input of a batch', async () => {
    provider.script = ({ messages }) => `Said: ${messages.at(-1)?.content}`;
    const { value, calls } = await inRun(service, (_, config) => chatModel().batch(['one', 'two'], config));
    expect(value.map(({ content }) => content)).toEqual(['Said: one', 'Said: two']);
    expect(calls).toHaveLength(2);
  });

  test('follows a whole conversation', async () => {
    const conversation = [
      new SystemMessage('Be brief.'),
      new HumanMessage('Hi'),
      new AIMessage('Hello'),
      new HumanMessage('Bye'),
    ];
    await inRun(service, (_, config) => chatModel().invoke(conversation, config));
    expect(sent().messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Bye' },
    ]);
  });

  test('can be requested with images, which are sent unchanged and recorded as a placeholder', async () => {
    const url = `data:image/png;base64,${'A'.repeat(40)}`;
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'BBBB' },
    ];
    const { calls } = await inRun(service, (_, config) =>
      chatModel().invoke([new HumanMessage({ content: parts })], config),
    );
    expect(sent().messages[0].content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,BBBB' } },
    ]);
    expect(calls[0].messages[0].content).toBe('What is this?\n[image_url]\n[image_url]');
  });

  test('uses the requested model, temperature and length', async () => {
    provider.script = () => stream('It', finishing('length'), reporting(USAGE));
    const small = chatModel({ model: 'second', temperature: 0, maxTokens: 1 });
    const { value, body } = await inRun(service, (_, config) => small.invoke('How is it?', config));
    expect(sent()).toMatchObject({ model: 'second', temperature: 0, max_tokens: 1 });
    expect(value.response_metadata).toMatchObject({ model_name: 'second', finish_reason: 'length' });
    expect(body.model).toBe('second');
  });

  test("uses the workflow's temperature, and ends at a stop sequence", async () => {
    await inRun(service, (_, config) => chatModel().invoke('How is it?', { ...config, stop: ['.'] }));
    expect(sent()).toMatchObject({ temperature: 0.4, stop: ['.'] });
  });
});

describe('tools', () => {
  test("of every kind are sent in OpenAI's format", async () => {
    const standard = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => ({ type: 'object', properties: { q: { type: 'string' } } }),
          output: () => ({}),
        },
      },
    };
    const json = {
      type: 'object' as const,
      properties: { city: { type: 'string' as const } },
      required: ['city'],
    };
    const now = tool(() => 'noon', { name: 'now', description: 'The time' });
    const openai = { type: 'function', function: { name: 'raw', parameters: json } };
    const tools = [
      add,
      now,
      tool(() => '', { name: 'weather', schema: json }),
      { name: 'search', description: 'Searches', schema: standard },
      { name: 'plain', description: 'Plain', schema: json },
      openai,
    ];
    const model = chatModel().bindTools(tools, { tool_choice: 'any', parallel_tool_calls: false });
    provider.script = (request) => saying(ALL_IS_WELL, request);
    await inRun(service, (_, config) => model.invoke('How is it?', config));
    const { tools: bound, ...rest } = sent();
    expect(rest).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false });
    expect(bound.map((one: ChatRequest) => (one as { type?: string }).type)).toEqual(
      Array(6).fill('function'),
    );
    expect(bound.map((one: { function: { name: string } }) => one.function.name)).toEqual([
      'add',
      'now',
      'weather',
      'search',
      'plain',
      'raw',
    ]);
    expect(bound[0].function).toMatchObject({
      description: 'Adds two numbers',
      parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
    });
    expect(bound[3].function.parameters.properties).toEqual({ q: { type: 'string' } });
    expect(bound[4].function).toEqual({ name: 'plain', description: 'Plain', parameters: json });
    expect(bound[5]).toEqual(openai);
    expect(() => chatModel().bindTools([{ nothing: true }])).toThrow(TypeError);
  });

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['add', { type: 'function', function: { name: 'add' } }],
  ])('are chosen by tool_choice: %s', async (tool_choice, expected) => {
    provider.script = (request) => saying(ALL_IS_WELL, request);
    await inRun(service, (_, config) =>
      chatModel()
        .bindTools([add])
        .invoke('Hi', { ...config, tool_choice }),
    );
    expect(sent().tool_choice).toEqual(expected);
  });

  test('are called with and without arguments', async () => {
    provider.script = () => calling(ADD, { id: 'two', name: 'now', args: '' });
    const { value, calls } = await inRun(service, (_, config) =>
      chatModel().bindTools([add]).invoke('What is 1 + 2?', config),
    );
    expect(value.tool_calls).toEqual([
      { type: 'tool_call', id: 'one', name: 'add', args: { a: 1, b: 2 } },
      { type: 'tool_call', id: 'two', name: 'now', args: {} },
    ]);
    expect(value.response_metadata.finish_reason).toBe('tool_calls');
    expect(value.usage_metadata).toEqual(USED);
    expect(calls[0].response).toBe('add({"a":1,"b":2})\nnow()');
  });

  test('are called in pieces of a stream', async () => {
    provider.script = () => calling(ADD, { id: 'two', name: 'now', args: '' });
    const { value } = await inRun(service, async (_, config) =>
      Array.fromAsync(await chatModel().bindTools([add]).stream('What is 1 + 2?', config)),
    );
    expect(value[0]?.tool_call_chunks).toEqual([
      { type: 'tool_call_chunk', index: 0, id: 'one', name: 'add', args: '{"a":1,' },
    ]);
    const message = value.reduce((all, piece) => concat(all, piece));
    expect(message.tool_calls).toEqual([
      { type: 'tool_call', id: 'one', name: 'add', args: { a: 1, b: 2 } },
      { type: 'tool_call', id: 'two', name: 'now', args: {} },
    ]);
  });

  test('called with anything but an object become invalid calls', async () => {
    provider.script = () => calling({ ...ADD, args: '{"a":' });
    const { value } = await inRun(service, (_, config) =>
      chatModel().bindTools([add]).invoke('1 + 2', config),
    );
    expect(value.tool_calls).toEqual([]);
    expect(value.invalid_tool_calls).toMatchObject([{ id: 'one', name: 'add', args: '{"a":' }]);
  });

  test('return results to the model, as text or in parts', async () => {
    provider.script = (request, index) => (index === 0 ? calling(ADD) : saying('It is 3.', request));
    const { value, calls } = await inRun(service, async (_, config) => {
      const model = chatModel().bindTools([add]);
      const question = new HumanMessage('What is 1 + 2?');
      const called = await model.invoke([question], config);
      const result = await add.invoke({ ...called.tool_calls?.[0], type: 'tool_call' } as never, config);
      const inParts = new ToolMessage({ tool_call_id: 'one', content: [{ type: 'text', text: '3' }] });
      const last = await model.invoke([question, called, result as ToolMessage], config);
      await model.invoke([question, called, inParts], config);
      return last;
    });
    expect(value.content).toBe('It is 3.');
    const call = { id: 'one', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } };
    expect(sent(1).messages.slice(1)).toEqual([
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: '3', tool_call_id: 'one', name: 'add' },
    ]);
    expect(sent(2).messages[2].content).toEqual([{ type: 'text', text: '3' }]);
    expect(calls[1].messages.slice(1)).toEqual([
      { role: 'assistant', content: 'add({"a":1,"b":2})', text: '', tool_calls: [call] },
      { role: 'tool', content: '3', tool_call_id: 'one' },
    ]);
  });
});

describe('structured output', () => {
  const Joke = z.object({ setup: z.string().describe('Its begin'), rating: z.number().nullable() });
  const JOKE = { setup: 'A bike walks in', rating: null };

  test('matches a zod schema, and the raw answer is available', async () => {
    provider.script = () => JOKE;
    const model = chatModel().withStructuredOutput(Joke, { name: 'joke' });
    const { value, calls, events } = await inRun(service, (_, config) => model.invoke('Joke!', config));
    expect(value).toEqual(JOKE);
    expect(sent().response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'joke', strict: true },
    });
    expect(calls[0].task).toBe('joke');
    expect(events.filter(({ event }) => event === 'token')).toEqual([]);
    const raw = chatModel().withStructuredOutput(Joke, { includeRaw: true });
    const both = await inRun(service, (_, config) => raw.invoke('Joke!', config));
    expect(both.value.parsed).toEqual(JOKE);
    expect(both.value.raw).toBeInstanceOf(AIMessage);
    expect((both.value.raw as AIMessage).usage_metadata).toEqual(USED);
  });

  test('accepts JSON Schema, an OpenAI function and Standard Schema', async () => {
    provider.script = () => ({ city: 'Bonn' });
    const json = {
      title: 'A place',
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    };
    const validate = (value: unknown) => ({
      value: { city: (value as { city: string }).city.toUpperCase() },
    });
    const jsonSchema = { input: () => json, output: () => json };
    const standard = { '~standard': { version: 1 as const, vendor: 'test', validate, jsonSchema } };
    const values = await inRun(service, async (_, config) => [
      await chatModel().withStructuredOutput(json).invoke('Where?', config),
      await chatModel().withStructuredOutput({ name: 'place', parameters: json }).invoke('Where?', config),
      await chatModel().withStructuredOutput(standard).invoke('Where?', config),
    ]);
    expect(values.value).toEqual([{ city: 'Bonn' }, { city: 'Bonn' }, { city: 'BONN' }]);
    expect([0, 1].map((at) => sent(at).response_format.json_schema.name)).toEqual(['A_place', 'place']);
  });

  test('streams its value once it is valid', async () => {
    provider.script = () => JOKE;
    const model = chatModel().withStructuredOutput(Joke);
    const { value } = await inRun(service, async (_, config) =>
      Array.fromAsync(await model.stream('Joke!', config)),
    );
    expect(value).toEqual([JOKE]);
  });

  test('that is invalid is repaired, and the repair includes the conversation', async () => {
    provider.script = (_, index) => (index === 0 ? { setup: 3, rating: 'high' } : JOKE);
    const model = chatModel().withStructuredOutput(Joke, { includeRaw: true });
    const { value, calls } = await inRun(service, (_, config) => model.invoke('Joke!', config));
    expect(value.parsed).toEqual(JOKE);
    expect((value.raw as AIMessage).usage_metadata?.total_tokens).toBe(60);
    expect(calls).toHaveLength(2);
    expect(sent(1).messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test('that is never valid fails without quoting the model', async () => {
    provider.script = () => ({ 'canary-of-the-provider': 1 });
    const model = chatModel().withStructuredOutput(Joke);
    const { error } = await inRun(service, (_, config) => model.invoke('Joke!', config));
    expect(error).toMatchObject({ error_code: 'MODEL_CALL_FAILED' });
    expect(JSON.stringify(error)).not.toContain('canary');
  });

  test('uses tools if the provider does not support schemas', async () => {
    provider.script = ({ response_format }) =>
      response_format ? refusal(400, { param: 'response_format' }) : JOKE;
    const { value } = await inRun(service, (_, config) =>
      chatModel({ model: 'second' }).withStructuredOutput(Joke).invoke('Joke!', config),
    );
    expect(value).toEqual(JOKE);
    expect(sent(1)).toMatchObject({ tool_choice: { function: { name: 'extract' } } });
  });
});

describe('a call that fails', () => {
  test('is retried, then sent to the fallback, and counts as one call', async () => {
    provider.script = ({ model }) => (model === 'first' ? passing(500) : ALL_IS_WELL);
    const { value, calls, body } = await inRun(service, (_, config) => chatModel().invoke('Hi', config));
    expect(value.response_metadata.model_name).toBe('second');
    expect(provider.requests.map(({ model }) => model)).toEqual(['first', 'first', 'second']);
    expect(calls).toHaveLength(1);
    expect(body.model).toBe('second');
  });

  test('after some text starts over, and the run reports that the earlier text is discarded', async () => {
    provider.script = (_, index) => (index === 0 ? stream('All was ') : ALL_IS_WELL);
    const { value, events } = await inRun(service, (_, config) => chatModel().invoke('Hi', config));
    expect(value.content).toBe(ALL_IS_WELL);
    const reported = events.flatMap(({ event, data }) =>
      event === 'token' ? data.text : event === 'agent' ? `${data.state} ${data.attempt}` : [],
    );
    expect(reported).toEqual(['started 1', 'All was ', 'started 2', ALL_IS_WELL, 'finished 2']);
  });

  test('after chunks of a stream is not retried, because they cannot be taken back', async () => {
    provider.script = () => stream('All was ');
    const { error, calls } = await inRun(service, async (_, config) =>
      Array.fromAsync(await chatModel().stream('Hi', config)),
    );
    expect(error).toMatchObject({ error_code: 'MODEL_CALL_FAILED' });
    expect(error?.detail).toBe("Model 'first': the provider's answer was cut off");
    expect(provider.requests).toHaveLength(1);
    expect(calls).toMatchObject([{ error_code: 'MODEL_CALL_FAILED', response: null }]);
  });

  test("has the service's code, the provider's message, and what to check", async () => {
    provider.script = () => refusal(401, { message: 'Your account is closed' });
    const failed = inRun(service, (_, config) => chatModel().invoke('Hi', config));
    const { error } = await failed;
    expect(error).toMatchObject({
      error_code: 'MODEL_CALL_FAILED',
      detail: "Model 'first': the provider answered 401: Your account is closed; check models[0].api_key",
    });
  });

  test('without a configured model names it', async () => {
    const { error } = await inRun(service, (_, config) => chatModel({ model: 'third' }).invoke('Hi', config));
    expect(error).toMatchObject({ error_code: 'CONFIGURATION_ERROR' });
    expect(error?.message).toContain("'third'");
  });
});

describe('a cancellation before the answer', () => {
  test('by a signal aborts the call at the provider', async () => {
    provider.aborted = 0;
    provider.script = () => hanging();
    const { value } = await inRun(service, async (_, config) => {
      const stopper = new AbortController();
      const call = chatModel().invoke('Hi', { ...config, signal: stopper.signal });
      while (provider.requests.length === 0) await Bun.sleep(1);
      stopper.abort();
      return call.catch((error: Error) => error);
    });
    expect((value as Error).name).toBe('AbortError');
    await untilAborted();
  });

  test('by a reader of the stream aborts the call at the provider', async () => {
    provider.aborted = 0;
    provider.script = () => hanging('All ', 'is ');
    const { value } = await inRun(service, async (_, config) => {
      for await (const { content } of await chatModel().stream('Hi', config)) return content;
    });
    expect(value).toBe('All ');
    await untilAborted();
  });

  test("by the run's deadline fails with the run's error", async () => {
    provider.aborted = 0;
    provider.script = () => hanging('All ');
    const { error } = await inRun(service, () => chatModel().invoke('Hi'), { deadline_seconds: 1 });
    expect(error).toMatchObject({ error_code: 'RUN_TIMEOUT' });
    await untilAborted();
  });

  async function untilAborted() {
    while (provider.aborted === 0) await Bun.sleep(1);
  }
});

test('a piece is passed on before the provider has sent the next', async () => {
  const seen = Promise.withResolvers<void>();
  provider.script = () => {
    const start = async (controller: ReadableStreamDefaultController) => {
      controller.enqueue(event('one '));
      await seen.promise;
      controller.enqueue([event('two'), event(finishing('stop'))].join(''));
      controller.close();
    };
    return new Response(new ReadableStream({ start }), { headers: { 'content-type': 'text/event-stream' } });
  };
  const { value } = await inRun(service, async (_, config) => {
    const pieces: unknown[] = [];
    for await (const { content } of await chatModel().stream('Hi', config)) {
      pieces.push(content);
      seen.resolve();
    }
    return pieces;
  });
  expect(value).toEqual(['one ', 'two', '']);
});

test("callbacks receive the start, the tokens and the end, and LangChain's events are sent", async () => {
  const received: string[] = [];
  const callbacks = [
    {
      handleChatModelStart: (
        _: unknown,
        __: unknown,
        ___: string,
        ____?: string,
        extra?: { invocation_params?: { model: string } },
      ) => {
        received.push(`start ${extra?.invocation_params?.model}`);
      },
      handleLLMNewToken: (token: string) => {
        received.push(token);
      },
      handleLLMEnd: ({ llmOutput }: { llmOutput?: { tokenUsage?: { totalTokens: number } } }) => {
        received.push(`end ${llmOutput?.tokenUsage?.totalTokens}`);
      },
    },
  ];
  const { value } = await inRun(service, async (_, config) => {
    const model = chatModel().withConfig({ callbacks });
    await Array.fromAsync(await model.stream('Hi', config));
    const events = await Array.fromAsync(chatModel().streamEvents('Hi', { ...config, version: 'v2' }));
    return events.map((one) => one.event);
  });
  expect(received).toEqual(['start first', 'All ', 'is ', 'well.', '', 'end 30']);
  expect(new Set(value)).toEqual(
    new Set(['on_chat_model_start', 'on_chat_model_stream', 'on_chat_model_end']),
  );
});

test('outside of a run it fails with the reason', async () => {
  const sentence = 'chatModel() works only in a run: call it in a node of a graph that the service runs';
  const model = chatModel();
  for (const call of [
    model.invoke('Hi'),
    model.stream('Hi'),
    model.withStructuredOutput(z.object({})).invoke('Hi'),
  ])
    expect(await (call as Promise<unknown>).catch(String)).toBe(`Error: ${sentence}`);
});

test('it accepts only options that a call can honour', () => {
  // @ts-expect-error: no client supports a top_p per call
  chatModel({ topP: 0.1 });
  // @ts-expect-error: a temperature must be a number
  chatModel({ temperature: 'hot' });
  expect(chatModel({ model: 'first' }).model).toBe('first');
});

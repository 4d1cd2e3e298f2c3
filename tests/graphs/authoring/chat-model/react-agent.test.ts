/** LangGraph's prebuilt agent with `chatModel()` and two tools, as a subgraph in a workflow's node. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { chatModel } from '../../../../graphs/skein.ts';
import { type Provider, scriptedProvider } from '../../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../../support/service.ts';
import { inRun, TRIED } from './node-of-test.ts';
import { calling, saying } from './tool-replies.ts';

const numbers = z.object({ a: z.number(), b: z.number() });
const add = tool(({ a, b }: z.infer<typeof numbers>) => `${a + b}`, {
  name: 'add',
  description: 'Adds two numbers',
  schema: numbers,
});
const weather = tool(({ city }: { city: string }) => `Sunny (asked: ${city})`, {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});
const react = createReactAgent({ llm: chatModel(), tools: [add, weather], prompt: 'Use the tools.' });

/** Invokes the agent with the run's messages; its last message is the answer. */
const plain = async ({ messages }: { messages: BaseMessage[] }) =>
  last((await react.invoke({ messages })).messages);

/** Streams the agent in LangGraph's own modes. */
async function streamed({ messages }: { messages: BaseMessage[] }) {
  let state: { messages: BaseMessage[] } | undefined;
  const pieces: string[] = [];
  for await (const [mode, data] of await react.stream({ messages }, { streamMode: ['values', 'messages'] })) {
    if (mode === 'values') state = data as typeof state;
    else pieces.push((data as unknown as [BaseMessage])[0].text);
  }
  const answer = last(state?.messages ?? []);
  expect(pieces.join('')).toEndWith(answer.text);
  return answer;
}

function last(messages: BaseMessage[]): AIMessage {
  const message = messages.at(-1);
  if (message === undefined || !AIMessage.isInstance(message)) throw new Error('no answer');
  return message;
}

const ways = [
  ['plain', plain],
  ['streamed', streamed],
] as const;

describe('with a provider', () => {
  let provider: Provider;
  let service: TestService;

  beforeAll(async () => {
    provider = scriptedProvider();
    service = await testService({ graphs: TRIED, env: providerEnv(provider.url) });
  });
  beforeEach(() => {
    provider.requests.length = 0;
  });
  afterAll(async () => {
    await service.close();
    await provider.close();
  });

  test.each(ways)('it calls both tools and answers, %s', async (_, way) => {
    provider.script = (request) =>
      request.messages.some(({ role }) => role === 'tool')
        ? saying('It is 3, and sunny.', request)
        : calling(
            { id: 'one', name: 'add', args: '{"a":1,"b":2}' },
            { id: 'two', name: 'get_weather', args: '{"city":"Bonn"}' },
          );
    const { body, calls, events } = await inRun(service, way, {
      user_prompt: 'What is 1 + 2, and the weather?',
    });
    expect(body).toMatchObject({
      agent_response: 'It is 3, and sunny.',
      token_count: 60,
      model: 'test-model',
    });
    expect(events.flatMap(({ event, data }) => (event === 'token' ? [data] : []))).toEqual([
      { agent: 'agent', path: ['speaker'], text: 'It is 3, and sunny.' },
    ]);
    expect(calls.map(({ response }) => response)).toEqual([
      'add({"a":1,"b":2})\nget_weather({"city":"Bonn"})',
      'It is 3, and sunny.',
    ]);
    expect(provider.requests[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Use the tools.'],
      ['user', 'What is 1 + 2, and the weather?'],
      ['assistant', ''],
      ['tool', '3'],
      ['tool', 'Sunny (asked: Bonn)'],
    ]);
  });

  test('its conversation continues in the next turn of the thread', async () => {
    provider.script = (request) => saying(`Answer ${provider.requests.length}`, request);
    const thread = { thread_id: 'react' };
    await inRun(service, plain, { ...thread, user_prompt: 'One' });
    const { body } = await inRun(service, plain, { ...thread, user_prompt: 'Two' });
    expect(body.agent_response).toBe('Answer 2');
    expect(provider.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
      'One',
      'Answer 1',
      'Two',
    ]);
  });

  test('it returns a structured response', async () => {
    provider.script = (request) => (request.response_format ? { city: 'Bonn' } : saying('Bonn.', request));
    const structured = createReactAgent({
      llm: chatModel(),
      tools: [add],
      responseFormat: z.object({ city: z.string() }),
    });
    const { value } = await inRun(service, ({ messages }) => structured.invoke({ messages }));
    expect(value.structuredResponse).toEqual({ city: 'Bonn' });
  });
});

describe('offline', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService({ graphs: TRIED });
  });
  afterAll(() => service.close());

  test.each(ways)(
    'it calls the tools that the question names, and quotes their results, %s',
    async (_, way) => {
      const { body } = await inRun(service, way, { user_prompt: 'Add 20 and 22.' });
      expect(body).toMatchObject({ agent_response: 'add gave: 42', model: 'skein-offline' });
    },
  );

  test('a tool with one text parameter gets the question', async () => {
    const user_prompt = 'How is the weather in Bonn?';
    const { value, body } = await inRun(service, plain, { user_prompt });
    expect(body.agent_response).toBe(`get_weather gave: Sunny (asked: ${user_prompt})`);
    expect(value.response_metadata.model_name).toBe('skein-offline');
  });

  test('if the question names no tool, it calls none and says so', async () => {
    const { body, calls } = await inRun(service, plain, { user_prompt: 'Why is the sky blue?' });
    expect(body.agent_response).toContain('offline model');
    expect(body.agent_response).toContain('"add" and "get_weather"');
    expect(calls).toHaveLength(1);
  });
});

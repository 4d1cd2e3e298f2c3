/** `answer` with tools: the model calls them until it answers in text, with the same limits and records as other calls. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { type AgentTools, type AnswerOptions, getStore, interrupt } from '../../../../graphs/skein.ts';
import { runningProvider } from '../../../server/support/running.ts';
import { allEvents, tokensOf } from '../../../support/events.ts';
import { providerEnv, type TestService, testService } from '../../../support/service.ts';
import { AGENT_OF_TEST, agentDoes } from '../agent-of-test.ts';
import { type Call, calling, saying } from '../chat-model/tool-replies.ts';

// A service starts slowly on a busy machine.
setDefaultTimeout(120_000);

const provider = runningProvider();
let service: TestService;
let offline: TestService;

beforeAll(async () => {
  service = await testService({ graphs: AGENT_OF_TEST, env: providerEnv(provider.url) });
  offline = await testService({ graphs: AGENT_OF_TEST });
});
afterAll(async () => {
  await service.close();
  await offline.close();
});

const numbers = z.object({ a: z.number(), b: z.number() });
const add = tool(({ a, b }: z.infer<typeof numbers>) => a + b, {
  name: 'add',
  description: 'Adds two numbers',
  schema: numbers,
});
const weather = tool(({ city }: { city: string }) => `Sunny in ${city}`, {
  name: 'get_weather',
  description: 'The weather of a city',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});
const broken = tool(
  () => {
    throw new Error('no hands');
  },
  { name: 'broken', description: 'Fails', schema: z.object({}) },
);

const ADD: Call = { id: 'one', name: 'add', args: '{"a":1,"b":2}' };
const WEATHER: Call = { id: 'two', name: 'get_weather', args: '{"city":"Bonn"}' };

/** Calls these tools, one group per response, and then answers with text. */
function script(...groups: Call[][]) {
  let step = 0;
  provider.script = (request) => {
    const group = groups[step++];
    return group ? calling(...group) : saying('It is done.', request);
  };
}

const answering =
  (options: AnswerOptions, system = 'Use the tools.') =>
  ({ answer }: AgentTools) =>
    answer(system, options);

const ask = (user_prompt = 'Go on.', more: object = {}, at = service) =>
  at.chat({ conversation_flow: 'told', user_prompt, ...more });

/** The provider's n-th request. */
// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary fields of a request
const sent = (index: number) => provider.requests[index] as any;
const sentTexts = (index: number) =>
  sent(index).messages.map(({ role, content }: { role: string; content: string }) => [role, content]);

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
async function read(path: string): Promise<any> {
  return (await service.fetch(path)).json();
}

describe('the loop', () => {
  test('returns tool results to the model until it answers', async () => {
    script([ADD, WEATHER], [{ ...ADD, id: 'three', args: '{"a":3,"b":4}' }]);
    agentDoes(answering({ tools: [add, weather] }));
    const { body } = await ask('What is 1 + 2, and the weather?');
    expect(body).toMatchObject({ agent_response: 'It is done.', token_count: 90, model: 'test-model' });
    expect(sent(0).tools).toMatchObject([
      { type: 'function', function: { name: 'add', description: 'Adds two numbers' } },
      { type: 'function', function: { name: 'get_weather', parameters: { required: ['city'] } } },
    ]);
    expect(sentTexts(0)).toEqual([
      ['system', 'Use the tools.'],
      ['user', 'What is 1 + 2, and the weather?'],
    ]);
    expect(sentTexts(2).slice(2)).toEqual([
      ['assistant', ''],
      ['tool', '3'],
      ['tool', 'Sunny in Bonn'],
      ['assistant', ''],
      ['tool', '7'],
    ]);
    expect(sent(2).messages[2].tool_calls).toMatchObject([
      { id: 'one', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
      { id: 'two', function: { name: 'get_weather', arguments: '{"city":"Bonn"}' } },
    ]);
    expect(sent(2).messages.map(({ tool_call_id }: { tool_call_id?: string }) => tool_call_id)).toEqual([
      ...[undefined, undefined, undefined, 'one', 'two', undefined, 'three'],
    ]);
  });

  test('its calls belong to the run, under the name of the agent', async () => {
    script([ADD]);
    agentDoes(answering({ tools: [add] }));
    const { body } = await ask();
    const { calls } = await read(`/api/v1/runs/${body.run_id}/calls`);
    const shown = calls.map(({ agent, task, response }: Record<string, string>) => [agent, task, response]);
    expect(shown).toEqual([
      ['clerk', 'chat', 'add({"a":1,"b":2})'],
      ['clerk', 'chat', 'It is done.'],
    ]);
    expect((await read(`/api/v1/runs/${body.run_id}`)).agents).toMatchObject([
      { agent: 'clerk', state: 'finished', usage: { input_tokens: 40, output_tokens: 20 } },
    ]);
  });

  test('the text is streamed', async () => {
    script([ADD]);
    agentDoes(answering({ tools: [add] }));
    const response = await service.fetch('/api/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_flow: 'told', user_prompt: 'Go on.', stream: true }),
    });
    expect(tokensOf(await allEvents(response), 'clerk')).toBe('It is done.');
  });

  test('only the text is remembered', async () => {
    script([ADD]);
    agentDoes(answering({ tools: [add] }));
    await ask('One', { thread_id: 'memory' });
    await ask('Two', { thread_id: 'memory' });
    expect(sentTexts(2).slice(1)).toEqual([
      ['user', 'One'],
      ['assistant', 'It is done.'],
      ['user', 'Two'],
    ]);
  });

  test('works in a step of an agent’s own graph, and twice concurrently', async () => {
    provider.script = (request) => {
      const [{ content = '' } = {}] = request.messages;
      const called = request.messages.find(({ role }) => role === 'tool');
      return called ? saying(`${content} ${called.content}`, request) : calling(ADD);
    };
    agentDoes(async ({ answer }) => {
      const both = await Promise.all(['Sum:', 'Total:'].map((system) => answer(system, { tools: [add] })));
      return { content: both.map(({ content }) => content).join(' ') };
    });
    expect((await ask('desk: go on')).body.agent_response).toBe('Sum: 3 Total: 3');
    expect((await ask('clerk: go on')).body.agent_response).toBe('Sum: 3 Total: 3');
  });

  test('data blocks of the system prompt, other messages and the older form work as before', async () => {
    script();
    agentDoes(({ answer }) =>
      answer('Look: <facts>\n"Bikes have bells."\n</facts>', { messages: [], tools: [add] }),
    );
    await ask();
    expect(sentTexts(0)).toEqual([
      ['system', expect.stringContaining('[data: the block facts')],
      ['user', '<facts>\n"Bikes have bells."\n</facts>'],
    ]);
    agentDoes(({ answer }, { messages }) => answer('Plainly.', messages.slice(-1), 'answer'));
    await ask();
    expect(sent(1).tools).toBeUndefined();
    expect(sentTexts(1)).toEqual([
      ['system', 'Plainly.'],
      ['user', 'Go on.'],
    ]);
  });
});

describe('a failed call', () => {
  test.each([
    ['a tool that throws', { id: 'x', name: 'broken', args: '{}' }, 'no hands'],
    ['a tool that does not exist', { id: 'x', name: 'fly', args: '{}' }, 'Tool "fly" not found'],
    ['arguments of another shape', { id: 'x', name: 'add', args: '{"a":"one"}' }, '→ at a'],
    ['arguments that a JSON Schema refuses', { id: 'x', name: 'get_weather', args: '{}' }, 'expected schema'],
    ['arguments that are no JSON', { id: 'x', name: 'add', args: '{"a":' }, 'not a JSON object'],
  ])('%s is a result for the model', async (_, call, result) => {
    script([ADD, call]);
    agentDoes(answering({ tools: [add, weather, broken] }));
    expect((await ask()).body.agent_response).toBe('It is done.');
    const results = sentTexts(1).filter(([role]: [string]) => role === 'tool');
    expect(results.map(([, content]: [string, string]) => content)).toContain('3');
    expect(results.join()).toContain(result);
    const [, , { tool_calls }] = sent(1).messages;
    expect(tool_calls.map(({ id }: { id: string }) => id)).toEqual(['one', 'x']);
  });

  test('a model that only calls tools is stopped', async () => {
    provider.script = () => calling(ADD);
    agentDoes(answering({ tools: [add] }));
    const { status, body } = await ask();
    expect(status).toBe(500);
    expect(body).toMatchObject({
      error_code: 'MODEL_CALL_FAILED',
      detail: "Agent 'clerk': the model still called tools in step 10 of 10 (maxSteps)",
    });
    expect(provider.requests).toHaveLength(10);
    agentDoes(answering({ tools: [add], maxSteps: 2 }));
    expect((await ask()).body.detail).toContain('step 2 of 2');
    expect(provider.requests).toHaveLength(12);
  });

  test('the last step may answer', async () => {
    script([ADD]);
    agentDoes(answering({ tools: [add], maxSteps: 2 }));
    expect((await ask()).body.agent_response).toBe('It is done.');
  });

  test('a call over the budget is not made', async () => {
    script([ADD]);
    agentDoes(answering({ tools: [add] }));
    const { body } = await ask('Go on.', { max_tokens_budget: 100 });
    expect(body.error_code).toBe('BUDGET_EXCEEDED');
    expect(provider.requests.length).toBeLessThan(2);
  });

  test('a run that exceeds its deadline ends during a tool call', async () => {
    script([{ id: 'x', name: 'wait', args: '{}' }]);
    const stopped = Promise.withResolvers<void>();
    const wait = tool(
      (_, { signal }) => {
        signal?.addEventListener('abort', () => stopped.resolve());
        return stopped.promise;
      },
      { name: 'wait', schema: z.object({}) },
    );
    agentDoes(answering({ tools: [wait] }));
    expect((await ask('Go on.', { deadline_seconds: 1 })).body.error_code).toBe('RUN_TIMEOUT');
    await stopped.promise;
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a tool', () => {
  test('is reported to callbacks, once per call', async () => {
    script([ADD, { id: 'x', name: 'broken', args: '{}' }], [WEATHER]);
    const seen: unknown[] = [];
    agentDoes(answering({ tools: [add, weather, broken] }), {
      handleToolStart: (_tool, input, _run, _parent, _tags, _metadata, _name, callId) =>
        void seen.push(['start', callId, input]),
      handleToolEnd: ({ content }) => void seen.push(['end', content]),
      handleToolError: ({ message }) => void seen.push(['error', message]),
    });
    await ask('observed: go on');
    expect(seen).toHaveLength(6);
    expect(seen).toContainEqual(['start', 'one', '{"a":1,"b":2}']);
    expect(seen).toContainEqual(['end', '3']);
    expect(seen).toContainEqual(['error', 'no hands']);
    expect(seen).toContainEqual(['end', 'Sunny in Bonn']);
  });

  test('has the thread and the store', async () => {
    script([{ id: 'x', name: 'note', args: '{}' }]);
    const note = tool(
      async (_, { configurable }) => {
        await getStore()?.put(['notes'], 'one', { kept: true });
        const found = await getStore()?.search(['notes']);
        return `${configurable?.thread_id}: ${found?.length}`;
      },
      { name: 'note', schema: z.object({}) },
    );
    agentDoes(answering({ tools: [note] }));
    await ask('Go on.', { thread_id: 'noted' });
    expect(sentTexts(1).at(-1)).toEqual(['tool', 'noted: 1']);
  });

  test('can ask a person; earlier work of the model and other tools is not repeated', async () => {
    script([ADD], [{ id: 'x', name: 'confirm', args: '{"what":"buy"}' }]);
    let added = 0;
    const counting = tool(({ a, b }: z.infer<typeof numbers>) => a + b + added++, {
      name: 'add',
      schema: numbers,
    });
    const confirm = tool(({ what }: { what: string }) => `They said ${interrupt(`May I ${what}?`)}`, {
      name: 'confirm',
      schema: z.object({ what: z.string() }),
    });
    agentDoes(answering({ tools: [counting, confirm] }));
    const { body } = await ask('Go on.', { thread_id: 'person' });
    expect(body).toMatchObject({ event_type: 'interrupt', interrupt: { value: 'May I buy?' } });
    expect(provider.requests).toHaveLength(2);
    const resumed = await service.fetch('/api/v1/threads/person/resume', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ value: 'yes' }),
    });
    expect(await resumed.json()).toMatchObject({ agent_response: 'It is done.' });
    expect(provider.requests).toHaveLength(3);
    expect(added).toBe(1);
    expect(sentTexts(2).slice(2)).toEqual([
      ['assistant', ''],
      ['tool', '3'],
      ['assistant', ''],
      ['tool', 'They said yes'],
    ]);
  });
});

test('offline, it calls the tools that the question names, and quotes their results', async () => {
  agentDoes(answering({ tools: [add, weather] }));
  const { body } = await ask('Add 20 and 22.', {}, offline);
  expect(body).toMatchObject({ agent_response: 'add gave: 42', model: 'skein-offline' });
  const other = await ask('Why is the sky blue?', {}, offline);
  expect(other.body.agent_response).toContain('I call a tool only where you name it');
});

/** POST /api/v1/runs/{run_id}/calls/replay: a recorded model call again, changed; counted, bounded, and without a trace. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { serveProject } from '../../graphs/adopted/project.ts';
import type { ChatRequest } from '../../support/provider.ts';
import { type TestService, testService } from '../../support/service.ts';
import { echoing, failure } from '../support/calls.ts';
import { ANN, BOB, protectedConfig } from '../support/credentials.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { type RunningService, runningProvider, runningService } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const SKEIN = join(import.meta.dir, '../../../graphs/skein.ts');
/** Its model calls a tool once, and answers with what that gives. */
const ASKING = `
import { chatModel } from '${SKEIN}';
const weather = { type: 'function', function: { name: 'weather', description: 'Tells it', parameters: { type: 'object', properties: { city: { type: 'string' } } } } };
export default new StateGraph(Annotation.Root({ messages: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) }))
  .addNode('one', async ({ messages }) => {
    const model = chatModel({ temperature: 0.3, maxTokens: 77 }).bindTools([weather], { stop: ['END'] });
    const called = await model.invoke(messages);
    const result = { role: 'tool', content: 'Rain', tool_call_id: called.tool_calls?.[0]?.id ?? 'none' };
    return { messages: [called, result, await model.invoke([...messages, called, result])] };
  })
  .addEdge(START, 'one').addEdge('one', END).compile();`;

/** With a short prompt. */
const TELLER = `export default workflow({
  description: 'Says something.', example: 'Hello', agents: () => [{ name: 'teller', description: 'Tells.' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('teller', agent('teller', async (state, { answer }) => answer('Be brief.')))
    .addEdge(START, 'teller').addEdge('teller', END),
});`;

const CLASSIC = { messages: [{ role: 'user', content: 'Hello' }] };
const TOOL = {
  type: 'function',
  function: { name: 'search', description: 'Searches', parameters: { type: 'object', properties: {} } },
};

type At = Pick<RunningService, 'fetch'>;

function replay(
  at: At,
  run: string,
  body: object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
) {
  return answerOf(
    at.fetch(`/api/v1/runs/${run}/calls/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: signal ?? null,
    }),
  );
}

const runOf = async (service: Pick<TestService, 'chat'>, body: object = {}, headers = {}): Promise<string> =>
  (await service.chat({ user_prompt: 'My pedal broke', thread_id: 't', ...body }, headers)).body.run_id;

describe('a call of a run', () => {
  const provider = runningProvider();
  const config = `
models:
  - {model: test-model, price: {input: 1, output: 10}}
  - {model: other-model, base_url: "\${LLM_PROVIDER_BASE_URL}", price: {input: 2, output: 20}}
`;
  const service = runningService(provider, config, { asking: ASKING });
  const call = callsOf(service);

  test('is sent as it is given, answered, and counted as use of its workflow; run and thread stay as they are', async () => {
    const run = await runOf(service, { thread_id: 'kept' });
    const before = [await call('GET', '/threads/kept/messages'), await call('GET', `/runs/${run}`)];
    const usage = async () => (await call('GET', '/usage?group_by=workflow')).body.usage[0];
    const used = await usage();
    provider.requests.length = 0;
    provider.script = () => 'Changed answer';
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'My saddle broke' },
    ];
    const { status, body } = await replay(service, run, {
      ...{
        messages,
        temperature: 0.7,
        top_p: 0.5,
        max_tokens: 50,
        stop: ['X'],
        seed: 7,
        presence_penalty: 1,
      },
    });
    expect(status).toBe(200);
    expect(provider.requests).toEqual([
      expect.objectContaining({
        ...{ model: 'test-model', messages, temperature: 0.7, top_p: 0.5, max_tokens: 50, stop: ['X'] },
        ...{ seed: 7, presence_penalty: 1, stream: true },
      }),
    ]);
    expect(body).toEqual({
      calls: [
        {
          ...{ model: 'test-model', task: 'chat', response: 'Changed answer', finish_reason: 'stop' },
          ...{ tool_calls: [], attempt: 1, usage: { input_tokens: 20, output_tokens: 10, cost: 0.00012 } },
          ...{ started_at: expect.any(String), duration_ms: expect.any(Number) },
          first_token_ms: expect.any(Number),
        },
      ],
    });
    expect(await usage()).toEqual({
      ...{ workflow: 'classification-agent', runs: used.runs, cost: used.cost + 0.00012 },
      ...{ input_tokens: used.input_tokens + 20, output_tokens: used.output_tokens + 10 },
    });
    const after = [await call('GET', '/threads/kept/messages'), await call('GET', `/runs/${run}`)];
    expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body));
    expect((await call('GET', `/runs/${run}/calls`)).body.calls).toHaveLength(2);
  });

  test('is recorded with all that it takes to send it again, and sent again it is the same', async () => {
    provider.script = (request: ChatRequest) =>
      request.messages.at(-1)?.role === 'tool' ? toolless('It rains') : { city: 'Bonn' };
    const run = await runOf(service, { conversation_flow: 'asking', user_prompt: 'Weather?' });
    const asked = structuredClone(provider.requests);
    const { calls } = (await call('GET', `/runs/${run}/calls`)).body;
    expect(calls[1]).toMatchObject({
      ...{ temperature: 0.3, max_tokens: 77, stop: ['END'], whole: true },
      tools: [{ type: 'function', function: { name: 'weather' } }],
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          ...{ role: 'assistant', text: '', content: 'weather({"city":"Bonn"})' },
          tool_calls: [
            { id: 'call', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
          ],
        },
        { role: 'tool', content: 'Rain', tool_call_id: 'call' },
      ],
    });
    provider.requests.length = 0;
    const { temperature, max_tokens, stop, tools, messages } = calls[1];
    type Sent = { content: string; text?: string };
    const again = messages.map(({ text, content, ...rest }: Sent) => ({ ...rest, content: text ?? content }));
    await replay(service, run, { temperature, max_tokens, stop, tools, messages: again });
    expect(provider.requests).toEqual([asked[1] as ChatRequest]);
  });

  test('is recorded with where its prompt file is, and what that was rendered with', async () => {
    const run = await runOf(service);
    const { calls } = (await call('GET', `/runs/${run}/calls`)).body;
    const [prompt] = calls[1].prompts;
    expect(prompt).toMatchObject({
      filename: 'classification-agent.support_responder.jinja',
      variables: { category: { name: 'support' } },
    });
    const { message, start, end } = prompt.place;
    const { body } = await call('POST', `/prompts/render/default/${prompt.filename}`, {
      variables: prompt.variables,
    });
    expect(calls[1].messages[message].content.slice(start, end)).toBe(body.text);
  });

  test('may be sent several times, at most four at once; what fails says so, and the others are answered', async () => {
    const run = await runOf(service);
    provider.requests.length = 0;
    const open = Promise.withResolvers<void>();
    provider.script = async (_, index) => {
      await open.promise;
      return index === 1 ? failure(400) : `answer ${index}`;
    };
    const asked = replay(service, run, { ...CLASSIC, n: 6 });
    await until(() => provider.requests.length === 4);
    await Bun.sleep(50);
    expect(provider.requests).toHaveLength(4);
    open.resolve();
    const { calls } = (await asked).body;
    expect(calls.map(({ response }: { response: string }) => response).toSorted()).toEqual([
      ...['answer 0', 'answer 2', 'answer 3', 'answer 4', 'answer 5', null],
    ]);
    expect(calls.find(({ response }: { response: string | null }) => response === null)).toMatchObject({
      ...{ error_code: 'MODEL_CALL_FAILED', finish_reason: null, tool_calls: [] },
      error_detail: "Model 'test-model': the provider answered 400: provider text canary 400",
    });
  });

  test('may call tools, which are shown and not executed', async () => {
    const run = await runOf(service);
    provider.requests.length = 0;
    provider.script = () => ({ q: 'bells' });
    const { body } = await replay(service, run, { ...CLASSIC, tools: [TOOL], tool_choice: 'required' });
    expect(provider.requests).toEqual([
      expect.objectContaining({ tools: [TOOL], tool_choice: 'required' } as object),
    ]);
    expect(body.calls[0]).toMatchObject({
      ...{ response: 'search({"q":"bells"})', finish_reason: 'tool_calls', first_token_ms: null },
      tool_calls: [
        { id: 'call', type: 'function', function: { name: 'search', arguments: '{"q":"bells"}' } },
      ],
    });
  });

  test('goes to a configured model alone, at its price', async () => {
    const run = await runOf(service);
    const { models } = (await call('GET', `/runs/${run}/calls`)).body;
    expect(models).toEqual(['test-model', 'other-model']);
    const { body } = await replay(service, run, { ...CLASSIC, model: 'other-model' });
    expect(body.calls[0]).toMatchObject({ model: 'other-model', usage: { cost: 0.00024 } });
    provider.requests.length = 0;
    const refused = expectRefused(
      await replay(service, run, { ...CLASSIC, model: 'gpt-expensive' }),
      ...([400, 'INVALID_REQUEST'] as const),
    );
    expect(refused.detail).toBe(
      "model: expected a configured chat model, one of 'test-model', 'other-model'",
    );
    expect(provider.requests).toEqual([]);
  });

  test('is sent once at a time by each caller, and ends with who asked for it', async () => {
    const run = await runOf(service);
    const usage = async () => (await call('GET', '/usage')).body.usage[0].output_tokens;
    const before = await usage();
    provider.requests.length = 0;
    provider.script = () => () => beginning('x'.repeat(400));
    const leaving = new AbortController();
    const asked = replay(service, run, CLASSIC, {}, leaving.signal).catch((error: Error) => error.name);
    await until(() => provider.requests.length === 1);
    const { message } = expectRefused(await replay(service, run, CLASSIC), 503, 'OVERLOADED');
    expect(message).toBe('Another replay of yours is under way, try again when it has ended');
    leaving.abort();
    expect(await asked).toBe('AbortError');
    await until(() => provider.aborted === 1);
    // What came of it is counted.
    await until(async () => (await usage()) >= before + 100);
    provider.script = echoing();
    expect((await replay(service, run, CLASSIC)).status).toBe(200);
  });

  test.each([
    ['no messages', {}],
    ['messages that are empty', { messages: [] }],
    ['a role that is none', { messages: [{ role: 'admin', content: 'x' }] }],
    ['content that is no text', { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
    ['a tool of the provider', { ...CLASSIC, tools: [{ type: 'web_search' }] }],
    [
      'a name of a tool with a line break',
      { ...CLASSIC, tools: [{ type: 'function', function: { name: 'a\nb' } }] },
    ],
    ['a task that would be a header', { ...CLASSIC, task: 'a\r\nx-key: 1' }],
    ['too many times', { ...CLASSIC, n: 11 }],
    ['no time', { ...CLASSIC, n: 0 }],
    ['a temperature that is none', { ...CLASSIC, temperature: 3 }],
    ['a temperature in words', { ...CLASSIC, temperature: 'hot' }],
    ['a limit below one', { ...CLASSIC, max_tokens: 0 }],
    ['a shape without a name', { ...CLASSIC, response_format: { type: 'json_schema', json_schema: {} } }],
    ['a list', [CLASSIC]],
  ])('is refused with %s', async (_, body) => {
    const run = await runOf(service);
    provider.requests.length = 0;
    expectRefused(await replay(service, run, body), 400, 'INVALID_REQUEST');
    expect(provider.requests).toEqual([]);
  });

  test('takes nothing else of a body to the provider', async () => {
    const run = await runOf(service);
    provider.requests.length = 0;
    const more = {
      stream: false,
      user: 'somebody',
      logprobs: true,
      base_url: 'http://127.0.0.1:1',
      api_key: 'x',
    };
    const messages = [{ role: 'user', content: 'Hi', name: 'x', images: ['y'] }];
    expect((await replay(service, run, { messages, ...more })).status).toBe(200);
    expect(provider.requests).toEqual([
      {
        ...{ model: 'test-model', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
        stream_options: { include_usage: true },
      } as ChatRequest,
    ]);
  });
});

test("nobody sends a call of another's run, or of one that there is not", async () => {
  const service = await testService({ config: protectedConfig() });
  const run = await runOf(service, {}, ANN);
  expect((await replay(service, run, CLASSIC, ANN)).status).toBe(200);
  expectRefused(await replay(service, run, CLASSIC, BOB), 404, 'RUN_NOT_FOUND');
  expectRefused(await replay(service, 'unknown', CLASSIC, ANN), 404, 'RUN_NOT_FOUND');
  expectRefused(await replay(service, run, CLASSIC), 401, 'UNAUTHORIZED');
  await service.close();
});

test('the offline model answers without a key', async () => {
  const service = await testService();
  const run = await runOf(service);
  const recorded = (await callsOf(service)('GET', `/runs/${run}/calls`)).body;
  expect(recorded.models).toEqual(['skein-offline']);
  const [{ messages, response_format, task, response }] = recorded.calls;
  const { body } = await replay(service, run, { messages, response_format, task, n: 2 });
  expect(body.calls).toEqual([
    ...Array(2).fill(expect.objectContaining({ model: 'skein-offline', response })),
  ]);
  const unknown = await replay(service, run, { ...CLASSIC, task: 'nothing-it-knows' });
  expect(unknown.status).toBe(200);
  await service.close();
});

test("a call of a graph's own model is recorded with its tools, and sent again to a model of the service", async () => {
  const OWN = `
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
const model = new ChatOpenAI({ model: 'gpt-own', temperature: 0.3, maxTokens: 50 }).bindTools([weather]);
const called = new AIMessage({ content: 'I look.', tool_calls: [{ id: 'c1', name: 'weather', args: { city: 'Bonn' } }] });
const result = new ToolMessage({ content: 'Rain', tool_call_id: 'c1' });
export default new StateGraph(MessagesAnnotation)
  .addNode('one', async ({ messages }) => ({ messages: [await model.invoke([...messages, called, result])] }))
  .addEdge(START, 'one').compile();`;
  const { service, provider, close } = await serveProject({ own: OWN });
  const message = { role: 'assistant', content: 'It rains' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  provider.script = () => Response.json({ ...{ id: '1', object: 'chat.completion', created: 1 }, choices });
  const run = await runOf(service, { conversation_flow: 'own', user_prompt: 'Weather?' });
  const { calls, models } = (await callsOf(service)('GET', `/runs/${run}/calls`)).body;
  expect(calls).toEqual([
    expect.objectContaining({
      ...{ model: 'gpt-own', response: 'It rains', temperature: 0.3, max_tokens: 50, whole: true },
      tools: [
        { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
      ],
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          ...{ role: 'assistant', content: 'I look.', text: 'I look.' },
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
          ],
        },
        { role: 'tool', content: 'Rain', tool_call_id: 'c1' },
      ],
    }),
  ]);
  expect(models).toEqual(['skein-offline']);
  const { body } = await replay(service, run, { messages: calls[0].messages, tools: calls[0].tools });
  expect(body.calls[0]).toMatchObject({ model: 'skein-offline', response: 'weather gave: Rain' });
  await close();
});

describe('bounds', () => {
  const provider = runningProvider();
  const TOLD = { conversation_flow: 'teller', user_prompt: 'Hello' };

  async function bounded(config: string, use: (service: TestService) => Promise<void>): Promise<void> {
    const env = { LLM_PROVIDER_BASE_URL: provider.url, LLM_PROVIDER_MODEL: 'test-model' };
    const service = await testService({ config, env, graphs: { teller: TELLER } });
    await use(service).finally(service.close);
  }

  test('a budget refuses a call that would pass it, and all of them once it is used up', () =>
    bounded('budgets: [{workflow: teller, per: day, tokens: 120}]', async (service) => {
      // Each call takes 30 tokens.
      const run = await runOf(service, TOLD);
      provider.requests.length = 0;
      const long = { messages: [{ role: 'user', content: 'word '.repeat(300) }] };
      const { status, body } = await replay(service, run, long);
      expect(status).toBe(200);
      expect(body.calls[0]).toMatchObject({
        ...{ error_code: 'BUDGET_EXCEEDED', attempt: 0, usage: { input_tokens: 0, output_tokens: 0 } },
        error_detail: "budgets[0] allows 120 tokens per day of the workflow 'teller'",
      });
      expect(provider.requests).toEqual([]);
      for (let call = 0; call < 3; call++)
        expect((await replay(service, run, CLASSIC)).body.calls[0].response).toBe('re: Hello');
      const refused = await replay(service, run, CLASSIC);
      expectRefused(refused, 429, 'BUDGET_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await service.chat(TOLD)).status).toBe(429);
    }));

  test('the token limit of a run holds for all times together', () =>
    bounded('limits: {run_tokens: 100}', async (service) => {
      const run = await runOf(service, TOLD);
      const { calls } = (await replay(service, run, { ...CLASSIC, n: 10 })).body;
      const answered = calls.filter(({ response }: { response: string | null }) => response !== null);
      expect(answered.length).toBeLessThan(10);
      expect(answered.length).toBeGreaterThan(0);
      expect(calls.at(-1)).toMatchObject({ error_code: 'BUDGET_EXCEEDED', response: null });
    }));

  test('each time counts as a chat of the rate limit', () =>
    bounded('web_configuration: {rate_limit: {requests_per_minute: 4}}', async (service) => {
      const run = await runOf(service);
      expect((await replay(service, run, { ...CLASSIC, n: 2 })).status).toBe(200);
      provider.requests.length = 0;
      expectRefused(await replay(service, run, { ...CLASSIC, n: 2 }), 429, 'RATE_LIMITED');
      expect(provider.requests).toEqual([]);
    }));

  test('the time limit of a run ends the calls that are not answered by then, and leaves the others', () =>
    bounded('limits: {run_seconds: 1}', async (service) => {
      const run = await runOf(service);
      provider.requests.length = 0;
      provider.script = (_, index) => (index === 0 ? 'In time' : () => new Promise<Response>(() => {}));
      const { calls } = (await replay(service, run, { ...CLASSIC, n: 2 })).body;
      expect(
        calls.map(({ response, error_code }: Record<string, unknown>) => response ?? error_code).sort(),
      ).toEqual(['In time', 'RUN_TIMEOUT']);
    }));
});

/** A text, also where tools are offered. */
function toolless(text: string): Response {
  const choices = [{ index: 0, delta: { content: text }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  const lines = [{ choices }, { choices: [], usage }].map((body) => `data: ${JSON.stringify(body)}\n\n`);
  return new Response(`${lines.join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

/** An answer that never ends. */
function beginning(text: string): Response {
  const line = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(line)) });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

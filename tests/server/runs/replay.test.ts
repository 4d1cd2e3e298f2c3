/** POST /api/v1/runs/{run_id}/calls/replay: repeats a recorded model call with changes, within limits and without a trace. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { serveProject } from '../../graphs/adopted/project.ts';
import type { ChatRequest } from '../../support/provider.ts';
import { testService } from '../../support/service.ts';
import { echoing, failure } from '../support/calls.ts';
import { ANN, BOB, protectedConfig } from '../support/credentials.ts';
import { expectRefused } from '../support/refused.ts';
import { HELLO, replay, runOf } from '../support/replay.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { callsOf } from '../support/thread-calls.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const SKEIN = join(import.meta.dir, '../../../graphs/skein.ts');
/** Its model calls a tool once, and answers with the result. */
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

const TOOL = {
  type: 'function',
  function: { name: 'search', description: 'Searches', parameters: { type: 'object', properties: {} } },
};

describe('a call of a run', () => {
  const provider = runningProvider();
  const config = `
models:
  - {model: test-model, price: {input: 1, output: 10}}
  - {model: other-model, base_url: "\${LLM_PROVIDER_BASE_URL}", price: {input: 2, output: 20}}
`;
  const service = runningService(provider, config, { asking: ASKING });
  const call = callsOf(service);

  test('is sent as given, answered, and counted as usage of its workflow; run and thread do not change', async () => {
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

  test('is recorded with everything that a replay needs, and an unchanged replay is identical', async () => {
    provider.script = (request: ChatRequest) =>
      request.messages.at(-1)?.role === 'tool' ? toolless('It rains') : { city: 'Bonn' };
    const run = await runOf(service, { conversation_flow: 'asking', user_prompt: 'Weather?' });
    const requests = structuredClone(provider.requests);
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
    expect(provider.requests).toEqual([requests[1] as ChatRequest]);
  });

  test('is recorded with the position and the variables of its prompt file', async () => {
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

  test('can be repeated, at most four at the same time; failures have their error, and the others are answered', async () => {
    const run = await runOf(service);
    provider.requests.length = 0;
    const open = Promise.withResolvers<void>();
    provider.script = async (_, index) => {
      await open.promise;
      return index === 1 ? failure(400) : `answer ${index}`;
    };
    const pending = replay(service, run, { ...HELLO, n: 6 });
    await until(() => provider.requests.length === 4);
    await Bun.sleep(50);
    expect(provider.requests).toHaveLength(4);
    open.resolve();
    const { calls } = (await pending).body;
    expect(calls.map(({ response }: { response: string }) => response).toSorted()).toEqual([
      ...['answer 0', 'answer 2', 'answer 3', 'answer 4', 'answer 5', null],
    ]);
    expect(calls.find(({ response }: { response: string | null }) => response === null)).toMatchObject({
      ...{ error_code: 'MODEL_CALL_FAILED', finish_reason: null, tool_calls: [] },
      error_detail: "Model 'test-model': the provider answered 400: provider text canary 400",
    });
  });

  test('can call tools, which are returned and not executed', async () => {
    const run = await runOf(service);
    provider.requests.length = 0;
    provider.script = () => ({ q: 'bells' });
    const { body } = await replay(service, run, { ...HELLO, tools: [TOOL], tool_choice: 'required' });
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

  test('only uses configured models, at their price', async () => {
    const run = await runOf(service);
    const { models } = (await call('GET', `/runs/${run}/calls`)).body;
    expect(models).toEqual(['test-model', 'other-model']);
    const { body } = await replay(service, run, { ...HELLO, model: 'other-model' });
    expect(body.calls[0]).toMatchObject({ model: 'other-model', usage: { cost: 0.00024 } });
    provider.requests.length = 0;
    const refused = expectRefused(
      await replay(service, run, { ...HELLO, model: 'gpt-expensive' }),
      ...([400, 'INVALID_REQUEST'] as const),
    );
    expect(refused.detail).toBe(
      "model: expected a configured chat model, one of 'test-model', 'other-model'",
    );
    expect(provider.requests).toEqual([]);
  });

  test('runs once at a time per caller, and is aborted when the client disconnects', async () => {
    const run = await runOf(service);
    const usage = async () => (await call('GET', '/usage')).body.usage[0].output_tokens;
    const before = await usage();
    provider.requests.length = 0;
    provider.script = () => () => beginning('x'.repeat(400));
    const leaving = new AbortController();
    const pending = replay(service, run, HELLO, {}, leaving.signal).catch((error: Error) => error.name);
    await until(() => provider.requests.length === 1);
    const { message } = expectRefused(await replay(service, run, HELLO), 503, 'OVERLOADED');
    expect(message).toBe('Another replay of yours is under way, try again when it has ended');
    leaving.abort();
    expect(await pending).toBe('AbortError');
    await until(() => provider.aborted === 1);
    // Its partial response is counted.
    await until(async () => (await usage()) >= before + 100);
    provider.script = echoing();
    await until(async () => (await replay(service, run, HELLO)).status === 200);
  });

  test('sends no other fields of a body to the provider', async () => {
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

test("a call of another caller's run, or of an unknown run, cannot be replayed", async () => {
  const service = await testService({ config: protectedConfig() });
  const run = await runOf(service, {}, ANN);
  expect((await replay(service, run, HELLO, ANN)).status).toBe(200);
  expectRefused(await replay(service, run, HELLO, BOB), 404, 'RUN_NOT_FOUND');
  expectRefused(await replay(service, 'unknown', HELLO, ANN), 404, 'RUN_NOT_FOUND');
  expectRefused(await replay(service, run, HELLO), 401, 'UNAUTHORIZED');
  await service.close();
});

test('the offline model responds without a key', async () => {
  const service = await testService();
  const run = await runOf(service);
  const recorded = (await callsOf(service)('GET', `/runs/${run}/calls`)).body;
  expect(recorded.models).toEqual(['skein-offline']);
  const [{ messages, response_format, task, response }] = recorded.calls;
  const { body } = await replay(service, run, { messages, response_format, task, n: 2 });
  expect(body.calls).toEqual([
    ...Array(2).fill(expect.objectContaining({ model: 'skein-offline', response })),
  ]);
  const unknown = await replay(service, run, { ...HELLO, task: 'nothing-it-knows' });
  expect(unknown.status).toBe(200);
  await service.close();
});

test("a call of a graph's own model is recorded with its tools, and replayed with a model of the service", async () => {
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

/** A text, even if tools are offered. */
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

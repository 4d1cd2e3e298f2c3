/** Cases that are model calls: sent without a run, with the current version of their prompt files, and judged. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { failure } from '../support/calls.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const provider = runningProvider();
const service = runningService(provider);
const WORKFLOW = 'classification-agent';
const FILE = 'classification-agent.support_responder.jinja';
const TOOL = {
  type: 'function' as const,
  function: { name: 'lookup', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};

function call(method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return answerOf(service.fetch(`/api/v1${path}`, request));
}

const user = (content: string) => ({ role: 'user', content });
const send = (body: object) => call('POST', '/model-calls', { workflow: WORKFLOW, ...body });

async function resultOf(dataset: string) {
  const { body: started } = await call('POST', `/datasets/${dataset}/results`, { workflow: WORKFLOW });
  const read = () => call('GET', `/datasets/${dataset}/results/${started.result_id}`);
  await until(async () => (await read()).body.status !== 'running', 30_000);
  return (await read()).body;
}

test('a call of a case is sent unchanged, judged and counted, and creates no run', async () => {
  const before = (await call('GET', '/runs')).body.runs.length;
  provider.requests.length = 0;
  provider.script = ({ tools }) => (tools ? { city: 'Ulm' } : { category: 'support' });
  for (const added of [
    {
      id: 'json',
      call: { messages: [user('My pedal broke')], temperature: 0.2, max_tokens: 50 },
      expect: { json: { 'outputs[0].data': { category: 'support' } } },
      source: { run_id: 'r', workflow: WORKFLOW },
    },
    {
      id: 'tool',
      call: { messages: [user('Weather in Ulm?')], tools: [TOOL] },
      expect: { json: { 'tool_calls[0].name': 'lookup', 'tool_calls[0].arguments.city': 'Ulm' } },
    },
    { id: 'wrong', call: { messages: [user('Hello')] }, expect: { exact: 'Hi' } },
  ])
    expect((await call('POST', '/datasets/calls/cases', added)).status).toBe(201);
  const result = await resultOf('calls');
  expect(result).toMatchObject({
    status: 'finished',
    done: 3,
    right: 2,
    unanswered: 0,
    models: ['test-model'],
  });
  expect(result.tokens).toBeGreaterThan(0);
  expect(result.cases).toMatchObject([
    { id: 'json', prompt: 'My pedal broke', right: true, is_call: true, source: { run_id: 'r' } },
    { id: 'tool', right: true, answered: true },
    { id: 'wrong', right: false, misses: ['the answer is a different text'] },
  ]);
  const sent = provider.requests.find(({ messages }) => messages[0]?.content === 'My pedal broke');
  expect(sent).toMatchObject({ messages: [user('My pedal broke')], temperature: 0.2, max_tokens: 50 });
  expect((await call('GET', '/runs')).body.runs).toHaveLength(before);
  const { body: usage } = await call('GET', '/usage?group_by=workflow');
  expect(usage.usage).toMatchObject([{ workflow: WORKFLOW }]);
});

test('a prompt file in a message is rendered again in its current version', async () => {
  provider.script = () => 'Fine';
  const messages = [{ role: 'system', content: 'First. Be kind to Ann. Last.' }, user('Hello')];
  const prompts = [
    { filename: FILE, revision_id: 'default', message: 0, start: 7, end: 22, variables: { topic: 'bikes' } },
  ];
  const saved = await call('POST', `/prompts/update/default/${FILE}`, { content: 'Be brief.' });
  expect(saved.status).toBe(200);
  const added = { call: { messages, prompts }, expect: { exact: 'Fine' } };
  await call('POST', '/datasets/rendered/cases', added);
  provider.requests.length = 0;
  const result = await resultOf('rendered');
  expect(provider.requests[0]?.messages).toMatchObject([
    { role: 'system', content: 'First. Be brief. Last.' },
    user('Hello'),
  ]);
  expect(result.prompts).toMatchObject([{ filename: FILE, revision_id: 'default', version: 1 }]);
  const { body } = await send({ messages, prompts });
  expect(body).toMatchObject({
    agent_response: 'Fine',
    outputs: [{ agent: 'model', content: 'Fine', data: null }],
    tool_calls: [],
    model: 'test-model',
    prompts: [{ filename: FILE, version: 1 }],
  });
  const missing = [{ ...prompts[0], filename: 'classification-agent.gone.jinja' }];
  expectRefused(await send({ messages, prompts: missing }), 404, 'PROMPT_NOT_FOUND');
  const outside = [{ ...prompts[0], end: 4_000 }];
  expectRefused(await send({ messages, prompts: outside }), 400, 'INVALID_REQUEST');
});

test('arguments of a tool that are not JSON are returned as text', async () => {
  provider.script = () => 'no object';
  const { status, body } = await send({ messages: [user('Weather in Ulm?')], tools: [TOOL] });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    agent_response: 'lookup(no object)',
    tool_calls: [{ name: 'lookup', arguments: 'no object' }],
  });
});

test('four calls of a dataset run at the same time', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  provider.script = () => promise;
  for (let number = 0; number < 5; number++)
    await call('POST', '/datasets/many/cases', {
      call: { messages: [user(`Question ${number}`)] },
      expect: { exact: 'Yes' },
    });
  provider.requests.length = 0;
  const ended = resultOf('many');
  await until(() => provider.requests.length === 4, 20_000);
  resolve('Yes');
  expect(await ended).toMatchObject({ status: 'finished', right: 5 });
});

test('a failed call counts as unanswered, with the reason', async () => {
  provider.script = () => failure(400);
  await call('POST', '/datasets/failing/cases', {
    call: { messages: [user('Hello')] },
    expect: { exact: 'Hi' },
  });
  const result = await resultOf('failing');
  expect(result).toMatchObject({ status: 'finished', right: 0, unanswered: 1 });
  expect(result.cases[0].misses[0]).toStartWith('The language model call failed');
  expectRefused(await send({ messages: [user('Hello')] }), 500, 'MODEL_CALL_FAILED');
});

test.each([
  ['an unknown workflow', { workflow: 'nothing', messages: [user('a')] }, 'INVALID_WORKFLOW_TYPE'],
  ['no messages', { messages: [] }, 'INVALID_REQUEST'],
  ['a model that is not configured', { model: 'x', messages: [user('a')] }, 'INVALID_REQUEST'],
])('a call with %s is rejected', async (_, body, code) => {
  expectRefused(await send(body), 400, code);
});

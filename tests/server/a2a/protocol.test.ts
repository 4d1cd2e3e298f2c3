/** A2A on the wire: the names of both versions, and rejected requests. */
import { expect, test } from 'bun:test';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import { providerEnv, testService } from '../../support/service.ts';
import { post } from '../support/credentials.ts';
import { expectA2ARefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

const NEW = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };
const messageOf = (text: string, more: object = {}) => ({
  message: { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text }], ...more },
});

const ask = (method: string, params: unknown, headers: Record<string, string> = {}, agent = 'echo') =>
  post(service, `/a2a/${agent}`, { jsonrpc: '2.0', id: 7, method, params }, headers);

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
async function answer(...args: Parameters<typeof ask>): Promise<any> {
  const response = await ask(...args);
  expect(response.status).toBe(200);
  return response.json();
}

test('methods of version 0.3 return its shapes', async () => {
  const { id, result } = await answer('message/send', messageOf('old', { contextId: 'old' }));
  expect(id).toBe(7);
  expect(result).toMatchObject({
    ...{ kind: 'task', contextId: 'old', status: { state: 'completed' } },
    artifacts: [{ name: 'answer', parts: [{ kind: 'text', text: 're: old' }] }],
  });
  expect((await answer('tasks/get', { id: result.id })).result).toEqual(result);
  const stream = await ask('message/stream', messageOf('Write.'), {}, 'letter');
  expect(stream.headers.get('content-type')).toStartWith('text/event-stream');
  const events = (await stream.text())
    .split('\n\n')
    .flatMap((text) => (text.startsWith('data: ') ? [JSON.parse(text.slice(6))] : []));
  expect(events.map(({ result: { kind } }) => kind)).toEqual(['task', 'status-update', 'status-update']);
  expect(events.at(-1).result).toMatchObject({
    ...{ final: true, status: { state: 'input-required', message: { role: 'agent' } } },
  });
});

test("a list of tasks has version 0.3's name and shapes too", async () => {
  const { result: task } = await answer(
    'message/send',
    messageOf('Write.', { contextId: 'old-list' }),
    {},
    'letter',
  );
  const list = async (params: object) =>
    (await answer('tasks/list', { contextId: 'old-list', ...params }, {}, 'letter')).result;
  expect(await list({ status: 'input-required' })).toMatchObject({
    tasks: [task],
    nextPageToken: '',
    totalSize: 1,
  });
  expect((await list({ status: 'completed' })).tasks).toEqual([]);
  const { error } = await answer('tasks/list', { pageSize: 1000 });
  expect(error).toMatchObject({ code: -32602, data: [{ metadata: { error_code: 'INVALID_REQUEST' } }] });
});

test('the id of an assistant names an agent, with the context of the assistant', async () => {
  expect((await answer('message/send', messageOf('hi'), {}, assistantId('echo'))).result.kind).toBe('task');
  const made = await post(service, '/assistants', { graph_id: 'seen', name: 'Seer', description: 'Sees.' });
  const { assistant_id } = (await made.json()) as { assistant_id: string };
  const { result } = await answer('message/send', messageOf('hi'), {}, assistant_id);
  expect(result).toMatchObject({ metadata: { workflow: 'seen' }, status: { state: 'completed' } });
  const card = await (await service.fetch(`/a2a/${assistant_id}/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({ name: 'Seer', url: `${service.url}/a2a/${assistant_id}` });
});

test('an unreadable request is rejected with a JSON-RPC error', async () => {
  for (const [method, params, code] of [
    ['tasks/nothing', {}, -32601],
    ['message/send', {}, -32602],
    ['message/send', { message: { parts: 1 } }, -32602],
    ['message/send', messageOf('hi', { contextId: 'no id' }), -32602],
    ['SendMessage', 'text', -32602],
    ['SendMessage', { message: {} }, -32602],
    ['tasks/get', { id: 'x' }, -32001],
    [
      'tasks/pushNotificationConfig/set',
      { taskId: 'x', pushNotificationConfig: { url: 'http://x.y' } },
      -32003,
    ],
  ] as const) {
    const { id, error } = await answer(method, params);
    expect({ id, code: error.code, method }).toEqual({ id: 7, code, method });
    expect(error.message).not.toMatch(/undefined|Cannot read/);
  }
  const headers = { 'content-type': 'application/json' };
  const raw = service.fetch('/a2a/echo', { method: 'POST', headers, body: '{' });
  await expectA2ARefused(raw, 400, 'INVALID_JSON');
  await expectA2ARefused(post(service, '/a2a/echo', { method: 'tasks/get' }), 400, 'INVALID_REQUEST');
});

test('a field of another type is named, and an object with a length is not turned into bytes', async () => {
  const huge = { length: 4e9 };
  const old = (part: object) => messageOf('hi', { parts: [{ kind: 'file', ...part }] });
  const current = (part: object) => ({ message: { ...NEW.message, parts: [{ text: 'hi' }, part] } });
  for (const [method, params, detail] of [
    ['message/send', messageOf(huge as never), 'message.parts.0.text: expected string'],
    ['message/send', old({ file: { bytes: huge } }), 'message.parts.0.file.bytes: expected string'],
    [
      'message/stream',
      old({ file: { uri: 1, mimeType: 'image/png' } }),
      'message.parts.0.file.uri: expected string',
    ],
    ['message/send', messageOf('hi', { taskId: [] }), 'message.taskId: expected string'],
    ['SendMessage', current({ raw: huge }), 'message.parts.1.raw: expected string'],
    ['SendMessage', current({ raw: [104, 105] }), 'message.parts.1.raw: expected string'],
    ['SendStreamingMessage', current({ url: {} }), 'message.parts.1.url: expected string'],
    [
      'SendMessage',
      { ...NEW, configuration: { historyLength: -1 } },
      'configuration: expected an object; its historyLength is an integer from 0',
    ],
    ['tasks/get', { id: 'x', historyLength: 'all' }, 'historyLength: expected an integer from 0'],
    ['ListTasks', { pageSize: 'all' }, 'pageSize: expected an integer'],
    ['ListTasks', { statusTimestampAfter: 'today' }, 'statusTimestampAfter: expected a time'],
    ['tasks/list', { statusTimestampAfter: 'today' }, 'statusTimestampAfter: expected a time'],
    ['SendMessage', [], 'params: expected object'],
  ] as const) {
    const { error } = await answer(method, params);
    expect({ method, code: error.code, message: error.message }).toEqual({
      ...{ method, code: -32602, message: expect.stringContaining(detail) },
    });
    expect(JSON.stringify(error.data)).toContain('INVALID_REQUEST');
  }
  expect(provider.requests).toHaveLength(0);
});

test('a request for push notifications starts no run, because none would be sent', async () => {
  const there = { url: 'http://127.0.0.1:1/', id: 'one' };
  const config = { taskId: crypto.randomUUID(), ...there };
  for (const [method, params] of [
    ['message/send', { ...messageOf('hi'), configuration: { pushNotificationConfig: there } }],
    ['message/stream', { ...messageOf('hi'), configuration: { pushNotificationConfig: there } }],
    ['SendMessage', { ...NEW, configuration: { taskPushNotificationConfig: there } }],
    ['SendStreamingMessage', { ...NEW, configuration: { taskPushNotificationConfig: there } }],
    ['CreateTaskPushNotificationConfig', config],
    ['GetTaskPushNotificationConfig', config],
    ['ListTaskPushNotificationConfigs', config],
    ['DeleteTaskPushNotificationConfig', config],
  ] as const) {
    const { error } = await answer(method, params);
    expect({ method, code: error?.code }).toEqual({ method, code: -32003 });
  }
  expect(provider.requests).toHaveLength(0);
});

test('another version is rejected, with and without patch numbers', async () => {
  expect((await answer('tasks/get', { id: 'x' }, { 'a2a-version': '2.0' })).error.code).toBe(-32009);
  expect((await answer('tasks/get', { id: 'x' }, { 'a2a-version': '0.3.0' })).error.code).toBe(-32001);
  expect((await answer('GetTask', { id: 'x' }, { 'a2a-version': '1.0' })).error.code).toBe(-32001);
});

test('the same Idempotency-Key and message is one task', async () => {
  const key = { 'idempotency-key': 'once' };
  const first = await answer('message/send', messageOf('once'), key);
  expect(await answer('message/send', messageOf('once'), key)).toEqual(first);
  expect(provider.requests).toHaveLength(1);
  const { error } = await answer('message/send', messageOf('twice'), key);
  expect(error).toMatchObject({ code: -32004, data: { error_code: 'IDEMPOTENCY_MISMATCH' } });
});

test('a full service keeps its status and says when to retry', async () => {
  const hold = Promise.withResolvers<string>();
  provider.script = () => hold.promise;
  const config = 'limits: {concurrent_runs: 1, queued_runs: 1}\n';
  const full = await testService({ env: providerEnv(provider.url), config, graphs: GRAPHS });
  try {
    const send = () =>
      post(full, '/a2a/echo', { jsonrpc: '2.0', id: 7, method: 'message/send', params: messageOf('hi') });
    const taken: Promise<Response>[] = [];
    while (taken.length < 2) {
      taken.push(send());
      await until(async () => (await storedIn(full.folder)).runs.length === taken.length);
    }
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    const { error } = (await refused.json()) as { error: unknown };
    expect(error).toMatchObject({ code: -32603, data: { error_code: 'OVERLOADED' } });
    hold.resolve('done');
    for (const one of taken) expect((await one).status).toBe(200);
  } finally {
    await full.close();
  }
});

test('without a default agent, there is no card at the root, and an unknown one stops the start', async () => {
  expect((await service.fetch('/.well-known/agent-card.json')).status).toBe(404);
  const wrong = testService({ config: 'a2a: {default: clasification-agent}\n' });
  expect(wrong).rejects.toThrow("'a2a.default': no such workflow, did you mean 'classification-agent'?");
});

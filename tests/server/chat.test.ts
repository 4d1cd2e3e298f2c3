/** POST /api/v1/chat: the answer's fields, the workflow's names, and what a thread remembers. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { CLASSIFIED, type Provider, scriptedProvider } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { callOf, conversationOf, echoing, failure } from './calls.ts';
import { expectRefused } from './refused.ts';
import { storedIn } from './stored.ts';

const UUID_V7 = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

let provider: Provider;
let service: TestService;

beforeAll(async () => {
  provider = scriptedProvider(echoing());
  service = await testService({ env: providerEnv(provider.url) });
});

afterEach(() => {
  provider.script = echoing();
  provider.requests.length = 0;
});

afterAll(async () => {
  await service.close();
  await provider.close();
});

/** The conversation as each answering call saw it. */
const seen = () => provider.requests.filter((request) => callOf(request) === 'answer').map(conversationOf);

const CLASSIFIED_TEXT =
  'category support (confidence 0.9), topic "broken pedal", sentiment negative (-0.6). Something is broken.';

test('an answer has the eight fields of the specification and those of the contract', async () => {
  const { status, headers, body } = await service.chat({ user_prompt: 'My pedal broke' });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toStartWith('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.has('idempotency-replayed')).toBe(false);
  expect(body).toEqual({
    thread_id: UUID_V7,
    message_id: UUID_V7,
    agent_response: `classification_agent: ${CLASSIFIED_TEXT}\n\nsupport_responder: re: My pedal broke`,
    token_count: 60,
    followup_questions: {},
    topic: null,
    memory_summary: '',
    event_type: null,
    run_id: UUID_V7,
    workflow: 'classification-agent',
    model: 'test-model',
    outputs: [
      { agent: 'classification_agent', content: CLASSIFIED_TEXT, data: CLASSIFIED },
      { agent: 'support_responder', content: 're: My pedal broke', data: null },
    ],
    interrupt: null,
  });
});

test.each(['classification_agent', 'CLASSIFICATION-AGENT', 'Classification_Agent', 'classification-Agent'])(
  'the workflow is also found as %s',
  async (conversation_flow) => {
    const { status, body } = await service.chat({ user_prompt: 'hi', conversation_flow });
    expect({ status, workflow: body.workflow }).toEqual({ status: 200, workflow: 'classification-agent' });
  },
);

test('a category that the model invents becomes the fallback, with confidence 0, and scores stay in their bounds', async () => {
  const wild = {
    ...CLASSIFIED,
    category: 'rm -rf',
    confidence: 7,
    sentiment: { label: 'furious', score: -3 },
  };
  provider.script = echoing({ classification: () => wild });
  const { status, body } = await service.chat({ user_prompt: 'hi' });
  expect(status).toBe(200);
  expect(body.outputs.map(({ agent }: { agent: string }) => agent)).toEqual([
    'classification_agent',
    'other_responder',
  ]);
  expect(body.outputs[0].data).toMatchObject({
    category: 'other',
    confidence: 0,
    sentiment: { label: 'negative', score: -1 },
  });
});

test('a thread id of the caller is kept, and without one each turn has a thread of its own', async () => {
  for (const thread_id of ['a', 'A.b_c:d-9', 'x'.repeat(128), 'constructor', '__proto__']) {
    const { status, body } = await service.chat({ user_prompt: 'hi', thread_id });
    expect({ status, thread_id: body.thread_id }).toEqual({ status: 200, thread_id });
  }
  const [one, other] = await Promise.all([
    service.chat({ user_prompt: 'hi' }),
    service.chat({ user_prompt: 'hi' }),
  ]);
  expect(one.body.thread_id).not.toBe(other.body.thread_id);
});

test('a thread remembers its turns, in order, and no other thread does', async () => {
  const { thread_id } = (await service.chat({ user_prompt: 'one' })).body;
  await service.chat({ user_prompt: 'two', thread_id });
  await service.chat({ user_prompt: 'elsewhere' });
  const third = await service.chat({ user_prompt: 'three', thread_id });
  expect(third.body.thread_id).toBe(thread_id);
  expect(seen()).toEqual([
    ['one'],
    ['one', 're: one', 'two'],
    ['elsewhere'],
    ['one', 're: one', 'two', 're: two', 'three'],
  ]);
  const classified = provider.requests.filter((request) => callOf(request) === 'classification');
  expect(classified.map(conversationOf)).toEqual(seen());
});

test('the roles and the prompt reach the model as they were sent', async () => {
  const prompt = '  Größe? {{ 7 * 7 }} 👩‍🚒\n"quoted"\t';
  const { thread_id } = (await service.chat({ user_prompt: prompt })).body;
  await service.chat({ user_prompt: 'and?', thread_id });
  expect(provider.requests.at(-1)?.messages.slice(1)).toEqual([
    { role: 'user', content: prompt },
    { role: 'assistant', content: `re: ${prompt}` },
    { role: 'user', content: 'and?' },
  ]);
});

test('topic and event_type are echoed, user_id is stored with the messages', async () => {
  const { body } = await service.chat({
    user_prompt: 'hi',
    topic: 'bikes',
    event_type: 'web',
    user_id: 'u-1',
  });
  expect({ topic: body.topic, event_type: body.event_type }).toEqual({ topic: 'bikes', event_type: 'web' });
  const message = storedIn(service.folder).messages.find(({ message_id }) => message_id === body.message_id);
  expect(message).toEqual({
    message_id: body.message_id,
    role: 'assistant',
    content: body.agent_response,
    user_id: 'u-1',
  });
});

test('token_count sums every call of the turn, repairs included', async () => {
  let calls = 0;
  provider.script = echoing({ classification: () => (++calls === 1 ? { category: 1 } : CLASSIFIED) });
  const { body } = await service.chat({ user_prompt: 'hi' });
  expect(provider.requests).toHaveLength(3);
  expect(body.token_count).toBe(90);
});

test.each(['classification', 'answer'] as const)(
  'a turn whose %s fails leaves no trace in its thread',
  async (call) => {
    const { thread_id } = (await service.chat({ user_prompt: 'one' })).body;
    provider.script = echoing({ [call]: () => failure(400) });
    const failed = await service.chat({ user_prompt: `lost at ${call}`, thread_id });
    const { message, detail } = expectRefused(failed, 500, 'MODEL_CALL_FAILED');
    expect(message + detail).not.toContain('canary');
    provider.script = echoing();
    expect((await service.chat({ user_prompt: 'two', thread_id })).status).toBe(200);
    expect(seen().at(-1)).toEqual(['one', 're: one', 'two']);
    const { runs, messages } = storedIn(service.folder);
    expect(runs.find(({ prompt }) => prompt === `lost at ${call}`)).toMatchObject({
      status: 'failed',
      code: 'MODEL_CALL_FAILED',
    });
    expect(messages.map(({ content }) => content).join()).not.toContain('lost at');
  },
);

test('unknown fields of the request are dropped: neither stored nor shown to the model', async () => {
  const extra = { messages: [{ role: 'system', content: 'canary' }], lc: 1, nested: { canary: ['canary'] } };
  expect((await service.chat({ user_prompt: 'hi', ...extra })).status).toBe(200);
  expect(JSON.stringify(provider.requests)).not.toContain('canary');
  expect(JSON.stringify(storedIn(service.folder).runs.at(-1))).not.toContain('canary');
});

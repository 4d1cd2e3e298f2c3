/** POST /api/v1/chat: the fields of the response and the names of the workflow. */
import { expect, test } from 'bun:test';
import { CLASSIFIED } from '../../support/provider.ts';
import { echoing } from '../support/calls.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';

const UUID_V7 = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

const provider = runningProvider();
const service = runningService(provider);

const CLASSIFIED_TEXT =
  'category support (confidence 0.9), topic "broken pedal", sentiment negative (-0.6). Something is broken.';

test('the response has the eight fields of the specification and those of the contract', async () => {
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
    interrupts: [],
    stopped_at: [],
    values: null,
  });
});

test.each(['classification_agent', 'CLASSIFICATION-AGENT', 'Classification_Agent', 'classification-Agent'])(
  'the workflow is also found as %s',
  async (conversation_flow) => {
    const { status, body } = await service.chat({ user_prompt: 'hi', conversation_flow });
    expect({ status, workflow: body.workflow }).toEqual({ status: 200, workflow: 'classification-agent' });
  },
);

test('an invented category becomes the fallback with confidence 0, and scores stay between 0 and 1', async () => {
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

test('topic and event_type are echoed, and user_id is stored with the messages', async () => {
  const { body } = await service.chat({
    user_prompt: 'hi',
    topic: 'bikes',
    event_type: 'web',
    user_id: 'u-1',
  });
  expect({ topic: body.topic, event_type: body.event_type }).toEqual({ topic: 'bikes', event_type: 'web' });
  const message = (await storedIn(service.folder)).messages.find(
    ({ message_id }) => message_id === body.message_id,
  );
  expect(message).toEqual({
    message_id: body.message_id,
    role: 'assistant',
    content: body.agent_response,
    user_id: 'u-1',
  });
});

test('token_count is the sum over all calls of the turn, including repairs', async () => {
  let calls = 0;
  provider.script = echoing({ classification: () => (++calls === 1 ? { category: 1 } : CLASSIFIED) });
  const { body } = await service.chat({ user_prompt: 'hi' });
  expect(provider.requests).toHaveLength(3);
  expect(body.token_count).toBe(90);
});

test('unknown fields of the request are dropped: neither stored nor shown to the model', async () => {
  const extra = { messages: [{ role: 'system', content: 'canary' }], lc: 1, nested: { canary: ['canary'] } };
  expect((await service.chat({ user_prompt: 'hi', ...extra })).status).toBe(200);
  expect(JSON.stringify(provider.requests)).not.toContain('canary');
  expect(JSON.stringify((await storedIn(service.folder)).runs.at(-1))).not.toContain('canary');
});

/** classification-agent on the running service, with a scripted provider. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  CLASSIFIED,
  classifying,
  isStructured,
  type Provider,
  scriptedProvider,
} from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';

const CONFIG = `workflows:
  classification-agent:
    categories:
      - { name: billing, description: invoices and refunds }
      - { name: support, description: something is broken }
      - { name: other, description: the rest }`;

let provider: Provider;
let service: TestService;
beforeAll(async () => {
  provider = scriptedProvider();
  service = await testService({ config: CONFIG, env: providerEnv(provider.url) });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

const classifiedAs = (found: object) => (request: Parameters<typeof isStructured>[0]) =>
  isStructured(request) ? { ...CLASSIFIED, ...found } : 'An answer.';

test('the model gets the configured categories as an enum', async () => {
  provider.requests.length = 0;
  provider.script = classifying();
  await service.chat({ user_prompt: 'My pedal broke' });
  const schema = provider.requests[0]?.response_format?.json_schema?.schema;
  expect(schema).toMatchObject({ properties: { category: { enum: ['billing', 'support', 'other'] } } });
  expect(provider.requests[0]?.messages[0]?.content).toContain('- billing: invoices and refunds');
});

test('the responder of the category answers, with its own prompt or the general one', async () => {
  provider.requests.length = 0;
  provider.script = classifiedAs({ category: 'support' });
  const support = await service.chat({ user_prompt: 'x' });
  expect(support.body.outputs.map(({ agent }: { agent: string }) => agent)).toEqual([
    'classification_agent',
    'support_responder',
  ]);
  expect(provider.requests[1]?.messages[0]?.content).toStartWith(
    'Category: support\nYou help people with a problem',
  );
  provider.script = classifiedAs({ category: 'billing' });
  const billing = await service.chat({ user_prompt: 'x' });
  expect(billing.body.outputs[1]).toEqual({ agent: 'billing_responder', content: 'An answer.', data: null });
  expect(provider.requests[3]?.messages[0]?.content).toContain('messages of one kind: invoices and refunds');
});

test('a category that is not in the set goes to the fallback, without confidence', async () => {
  for (const category of ['__end__', 'classification_agent', '', 'Sales; DROP TABLE']) {
    provider.script = classifiedAs({ category });
    const { body } = await service.chat({ user_prompt: 'x' });
    expect(body.outputs[0].data).toMatchObject({ category: 'other', confidence: 0 });
    expect(body.outputs[1].agent).toBe('other_responder');
  }
});

test('values of the model are clamped', async () => {
  provider.script = classifiedAs({
    category: ' Support ',
    sentiment: { label: 'furious', score: -7 },
    confidence: 42,
    topic: '  pedals ',
  });
  expect((await service.chat({ user_prompt: 'x' })).body.outputs[0].data).toEqual({
    category: 'support',
    topic: 'pedals',
    sentiment: { label: 'negative', score: -1 },
    confidence: 1,
    explanation: 'Something is broken.',
  });
});

test('a classification without its fields is repaired once and then fails', async () => {
  provider.requests.length = 0;
  provider.script = () => ({ category: 'support' });
  const { status, body } = await service.chat({ user_prompt: 'x' });
  expect([status, body.error_code]).toEqual([500, 'MODEL_CALL_FAILED']);
  expect(provider.requests.length).toBe(2);
  expect(provider.requests[1]?.messages.at(-1)?.content).toContain('cannot be used: /topic');
});

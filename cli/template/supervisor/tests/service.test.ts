/** Tests the service and its supervisor over HTTP. The built-in model calls the experts that a question names. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RunningService, startService } from './running-service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService();
}, 60_000);

afterAll(() => service.stop());

const ask = (user_prompt: string) => service.chat({ conversation_flow: 'supervisor', user_prompt });

test('a question for one expert is answered by that one', async () => {
  const { status, body } = await ask('How many TREK-9 are in stock?');
  expect(status).toBe(200);
  expect(body.agent_response).toContain('TREK-9: 2 in stock, 1349 euros each');
  expect(body.outputs.map(({ agent }) => agent)).not.toContain('delivery');
}, 30_000);

test('a question for two is answered by both', async () => {
  const { body } = await ask('Is CITY-3 in stock, and how long does delivery to Munich take?');
  expect(body.agent_response).toContain('CITY-3: 7 in stock');
  expect(body.agent_response).toContain('To munich: 4 working days');
}, 30_000);

test('the supervisor answers a question that needs no expert', async () => {
  const { body } = await ask('Good morning!');
  expect(body.outputs.map(({ agent }) => agent)).toEqual(['supervisor']);
}, 30_000);

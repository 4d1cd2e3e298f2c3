/** Tests the service and its agent over HTTP. The built-in model calls the tools that a question names. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RunningService, startService } from './running-service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService();
}, 60_000);

afterAll(() => service.stop());

const ask = (user_prompt: string, more: object = {}) =>
  service.chat({ conversation_flow: 'react-agent', user_prompt, ...more });

test('a question about the stock is answered by the tool', async () => {
  const { status, body } = await ask('How many TREK-9 are in stock?');
  expect(status).toBe(200);
  expect(body.agent_response).toContain('TREK-9: 2 in stock, 1349 euros each');
}, 30_000);

test('so is one about the total of an order', async () => {
  const { body } = await ask('What is the total of an order of 2 at 899?');
  expect(body.agent_response).toContain('1798 euros');
}, 30_000);

test('a thread remembers', async () => {
  await ask('My name is Ana.', { thread_id: 'ana' });
  const { body } = await ask('What is my name?', { thread_id: 'ana' });
  expect(body.agent_response).toContain('Ana');
}, 30_000);

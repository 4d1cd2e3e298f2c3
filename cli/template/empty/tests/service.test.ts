/** Tests the service over HTTP. Add tests of your own workflows here. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type RunningService, startService } from './running-service.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService();
}, 60_000);

afterAll(() => service.stop());

test('a workflow of the core answers', async () => {
  const request = { conversation_flow: 'classification-agent', user_prompt: 'The pedal of my bike broke.' };
  const { status, body } = await service.chat(request);
  expect(status).toBe(200);
  expect(body.outputs.map(({ agent }) => agent)).toContain('classification_agent');
}, 30_000);

/** Tests the service and its workflow over HTTP. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type RunningService, startService } from './running-service.ts';

const DOCUMENT = join(import.meta.dir, '..', 'data', 'bike-insights.json');
let service: RunningService;

beforeAll(async () => {
  service = await startService();
}, 60_000);

afterAll(() => service.stop());

test('bike-insights answers with all of its agents', async () => {
  const user_prompt = await Bun.file(DOCUMENT).text();
  const { status, body } = await service.chat({ conversation_flow: 'bike-insights', user_prompt });
  expect(status).toBe(200);
  const agents = body.outputs.map(({ agent }) => agent).sort();
  expect(agents).toEqual([
    'classification_agent',
    'education_expert',
    'knowledge_base_agent',
    'sql_manipulation_agent',
  ]);
}, 30_000);

test('what is no JSON document is refused with the place', async () => {
  const { status, body } = await service.chat({ conversation_flow: 'bike-insights', user_prompt: 'hello' });
  expect(status).toBe(400);
  expect(body.message).toBe('Expecting value: line 1 column 1 (char 0)');
});

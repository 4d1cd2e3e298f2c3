/** The typed client against the real service: callers get the response's values unchanged. */
import { expect, test } from 'bun:test';
import { createClient } from '../../client/client.ts';
import { echoing } from '../server/support/calls.ts';
import { runningProvider, runningService } from '../server/support/running.ts';

const provider = runningProvider();
const service = runningService(provider);
const client = () => createClient(service.url);

test('a turn is a method with typed fields', async () => {
  const { data, error, status } = await client().api.v1.chat.post({
    user_prompt: 'My pedal broke.',
    conversation_flow: 'classification-agent',
  });
  expect({ error, status }).toEqual({ error: null, status: 200 });
  // With `Prefer: respond-async`, the response has another type.
  if (!data || !('outputs' in data)) throw new Error('the answer has no outputs');
  expect(data.outputs.map(({ agent }) => agent)).toEqual(['classification_agent', 'support_responder']);
  expect(data.agent_response).toContain('re: My pedal broke.');
});

test('the agents of a run are typed too', async () => {
  const { runs } = client().api.v1;
  const response = await client().api.v1.chat.post({
    user_prompt: 'a',
    conversation_flow: 'classification-agent',
  });
  const run_id = response.data && 'run_id' in response.data ? response.data.run_id : '';
  const { data: run } = await runs({ run_id }).get();
  const { data: kept } = await runs({ run_id }).calls.get();
  const [recorded] = run?.agents.map(({ calls }) => calls[0]?.started_at) ?? [];
  expect(kept?.calls[0]?.started_at).toBe(recorded ?? 'none');
  expect(kept?.calls.map(({ agent }) => agent)).toEqual(run?.agents.map(({ agent }) => agent) ?? []);
});

test.each(['42', 'true', 'null', '2026-01-01T00:00:00.000Z', '{"a":1}', ''])(
  'a string stays a string: %s',
  async (topic) => {
    provider.script = echoing();
    const { data } = await client().api.v1.chat.post({
      user_prompt: 'a',
      conversation_flow: 'classification-agent',
      topic,
    });
    expect(data).toHaveProperty('topic', topic);
  },
);

test('a rejected request is an error with the status and the documented body', async () => {
  const { data, error } = await client().api.v1.chat.post({ user_prompt: 'a', conversation_flow: 'nothing' });
  expect(data).toBeNull();
  expect(error?.status as number).toBe(400);
  expect(error?.value).toMatchObject({ status: 'error', error_code: 'INVALID_WORKFLOW_TYPE' });
});

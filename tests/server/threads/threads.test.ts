/** Threads of the chat endpoint: their ids, the conversation that the model sees, and failed turns. */
import { expect, test } from 'bun:test';
import { callOf, conversationOf, echoing, failure } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';

const provider = runningProvider();
const service = runningService(provider);

/** The conversation that each answering call saw. */
const seen = () => provider.requests.filter((request) => callOf(request) === 'answer').map(conversationOf);

test("the caller's thread id is kept, and without one each turn gets its own thread", async () => {
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

test('a thread remembers its turns in order, and no other thread does', async () => {
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

test('the roles and the prompt reach the model unchanged', async () => {
  const prompt = '  Größe? {{ 7 * 7 }} 👩‍🚒\n"quoted"\t';
  const { thread_id } = (await service.chat({ user_prompt: prompt })).body;
  await service.chat({ user_prompt: 'and?', thread_id });
  expect(provider.requests.at(-1)?.messages.slice(1)).toEqual([
    { role: 'user', content: prompt },
    { role: 'assistant', content: `re: ${prompt}` },
    { role: 'user', content: 'and?' },
  ]);
});

test.each(['classification', 'answer'] as const)(
  'a turn whose %s fails leaves no trace in its thread',
  async (call) => {
    const { thread_id } = (await service.chat({ user_prompt: 'one' })).body;
    provider.script = echoing({ [call]: () => failure(400) });
    const failed = await service.chat({ user_prompt: `lost at ${call}`, thread_id });
    const { detail } = expectRefused(failed, 500, 'MODEL_CALL_FAILED');
    expect(detail).toContain('the provider answered 400');
    provider.script = echoing();
    expect((await service.chat({ user_prompt: 'two', thread_id })).status).toBe(200);
    expect(seen().at(-1)).toEqual(['one', 're: one', 'two']);
    const { runs, messages } = await storedIn(service.folder);
    expect(runs.find(({ prompt }) => prompt === `lost at ${call}`)).toMatchObject({
      status: 'failed',
      code: 'MODEL_CALL_FAILED',
    });
    expect(messages.map(({ content }) => content).join()).not.toContain('lost at');
  },
);

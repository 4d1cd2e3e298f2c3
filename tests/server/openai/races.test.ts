/** Responses that many requests continue, answer or delete at the same time. */
import { expect, test } from 'bun:test';
import { heldAnswer } from '../../studio/held-answer.ts';
import { dataOf } from '../protocols/protocol.ts';
import { post } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { GRAPHS } from './graphs.ts';

const provider = runningProvider();
const service = runningService(provider, '', GRAPHS);

const MANY = 12;

const respond = (body: object) => post(service, '/v1/responses', { model: 'echo', ...body });

test('of many responses that continue the same one, one stays on its thread, and each only sees its own history', async () => {
  const first = await respond({ input: 'the beginning' });
  const thread = first.headers.get('x-thread-id');
  const { id } = (await first.json()) as { id: string };
  const responses = Array.from({ length: MANY }, (_, index) =>
    respond({ input: `branch ${index}`, previous_response_id: id }),
  );
  const all = await Promise.all(responses);
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: MANY }, () => 200));
  const threads = all.map(({ headers }) => headers.get('x-thread-id'));
  expect(new Set(threads).size).toBe(MANY);
  expect(threads.filter((one) => one === thread)).toHaveLength(1);
  for (const { messages } of provider.requests.slice(1)) {
    const questions = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(questions).toEqual(['the beginning', expect.stringMatching(/^branch \d+$/)]);
  }
});

test('only one of many answers to a question is accepted', async () => {
  const asking = (await (await respond({ model: 'letter', input: 'write' })).json()) as {
    id: string;
    output: { type: string; call_id: string }[];
  };
  const call = asking.output.find(({ type }) => type === 'function_call');
  const answer = { type: 'function_call_output', call_id: call?.call_id, output: 'true' };
  const all = await Promise.all(
    Array.from({ length: MANY }, () =>
      respond({ model: 'letter', input: [answer], previous_response_id: asking.id }),
    ),
  );
  const statuses = all.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, ...Array.from({ length: MANY - 1 }, () => 409)]);
  expect(provider.requests).toHaveLength(1);
});

test('deleting a response while it streams ends its streams', async () => {
  const held = heldAnswer();
  provider.script = () => held.reply;
  const { id } = (await (await respond({ input: 'hi', background: true })).json()) as { id: string };
  const stream = service.fetch(`/v1/responses/${id}?stream=true`).then((response) => response.text());
  await held.called;
  held.say('Half ');
  expect((await service.fetch(`/v1/responses/${id}`, { method: 'DELETE' })).status).toBe(200);
  const last = dataOf(await stream).at(-1);
  expect(last.response?.status ?? last.type).toMatch(/cancelled|error|incomplete/);
  expect((await service.fetch(`/v1/responses/${id}`)).status).toBe(404);
});

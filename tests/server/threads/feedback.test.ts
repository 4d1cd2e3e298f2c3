/** PUT and GET /api/v1/messages/{message_id}/feedback. */
import { beforeEach, expect, test } from 'bun:test';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';

const provider = runningProvider();
const service = runningService(provider);
let message: { message_id: string; thread_id: string };

beforeEach(async () => {
  const { message_id, thread_id } = (await service.chat({ user_prompt: 'hi' })).body;
  message = { message_id, thread_id };
});

const pathOf = (id: string) => `/api/v1/messages/${id}/feedback`;
const get = (id = message.message_id) => answerOf(service.fetch(pathOf(id)));
const put = (body: unknown, id = message.message_id) =>
  answerOf(
    service.fetch(pathOf(id), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

const NOTHING = { user_id: null, positive_feedback: null, rating: null, comment: null, tags: [] };

/** The stored feedback that the body must become. */
const feedback = (fields: object) => ({
  ...message,
  ...NOTHING,
  ...fields,
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

test('feedback is stored, confirmed with its message, and can be read', async () => {
  const sent = {
    user_id: 'u-1',
    positive_feedback: true,
    rating: 5,
    comment: 'Größe 👍\nok',
    tags: ['fast', 'kind'],
  };
  const { status, body } = await put({ ...sent, thread_id: message.thread_id });
  expect(status).toBe(200);
  expect(body).toEqual({
    message: `Feedback submitted for message ${message.message_id}.`,
    feedback: feedback(sent),
  });
  expect(await get()).toMatchObject({ status: 200, body: body.feedback });
});

test('new feedback replaces all fields of the previous one', async () => {
  await put({ positive_feedback: true, comment: 'first', tags: ['a'] });
  await put({ rating: 2 });
  expect((await get()).body).toEqual(feedback({ rating: 2 }));
});

test('positive_feedback: null clears it', async () => {
  await put({ positive_feedback: false });
  expect((await put({ positive_feedback: null })).body.feedback).toEqual(feedback({}));
  expect((await get()).body.positive_feedback).toBeNull();
});

const ENOUGH = [
  { positive_feedback: false },
  { rating: 1 },
  { rating: 5 },
  { comment: '' },
  { tags: [] },
  { tags: ['a'] },
];

for (const body of [...ENOUGH, { comment: 'x'.repeat(4_000) }, { comment: '👍'.repeat(4_000) }]) {
  test(`one field is enough: ${JSON.stringify(body).slice(0, 40)}`, async () => {
    expect((await put(body)).body.feedback).toEqual(feedback(body));
  });
}

test('unknown fields are dropped', async () => {
  await put({ rating: 3, message_id: 'canary', updated_at: 'canary', extra: { canary: 1 } });
  expect((await get()).body).toEqual(feedback({ rating: 3 }));
});

for (const body of [{}, { user_id: 'u' }, { extra: 1 }, [], [1], 'canary', 7, null]) {
  test(`a body without content is rejected: ${JSON.stringify(body)}`, async () => {
    expectRefused(await put(body), 400, 'INVALID_REQUEST');
    expectRefused(await get(), 404, 'NOT_FOUND');
  });
}

test('a body with only the thread is rejected', async () => {
  expectRefused(await put({ thread_id: message.thread_id }), 400, 'INVALID_REQUEST');
});

const BAD: [string, unknown[]][] = [
  ['thread_id', [5, null, 'x'.repeat(200)]],
  ['user_id', [5, null, ['canary']]],
  ['positive_feedback', ['true', 'canary', 1, [], {}]],
  ['rating', [0, 6, -1, 1.5, '5', null, true]],
  ['comment', [5, null, 'canary'.repeat(1_000), '👍'.repeat(4_001), ['canary']]],
  ['tags', ['canary', [5], [''], [null], Array.from({ length: 51 }, () => 'a'), {}]],
];

for (const [field, value] of BAD.flatMap(([field, values]) =>
  values.map((value) => [field, value] as const),
)) {
  test(`${field}: ${JSON.stringify(value).slice(0, 40)} is rejected`, async () => {
    const { detail } = expectRefused(await put({ rating: 4, [field]: value }), 400, 'INVALID_REQUEST');
    expect(detail).toStartWith(field);
    expect(detail).not.toContain('canary');
    expectRefused(await get(), 404, 'NOT_FOUND');
  });
}

test("a thread other than the message's is rejected", async () => {
  const other = (await service.chat({ user_prompt: 'hi' })).body.thread_id;
  for (const thread_id of [other, 'canary']) {
    const { detail } = expectRefused(await put({ rating: 4, thread_id }), 400, 'INVALID_REQUEST');
    expect(detail).toBe('thread_id: the message belongs to another thread');
  }
});

test("an unknown message is not found, nor is the user's own", async () => {
  const question =
    (await storedIn(service.folder)).messages.find(({ role }) => role === 'user')?.message_id ?? '';
  for (const id of [question, 'nope', Bun.randomUUIDv7(), '%00', '..%2f..', message.thread_id]) {
    const refusals = [await put({ rating: 4 }, id), await get(id)].map((answer) =>
      expectRefused(answer, 404, 'MESSAGE_NOT_FOUND'),
    );
    // The response is the same for another caller's message and for an unknown one.
    for (const { message: text, detail } of refusals)
      expect([text, detail]).toEqual(['Message not found', undefined]);
  }
});

test('a message without feedback has none', async () => {
  expectRefused(await get(), 404, 'NOT_FOUND');
});

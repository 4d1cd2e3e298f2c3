/** Badly rated answers: who sees them, who can mark them as reviewed, and when they return to the list. */
import { expect, test } from 'bun:test';
import { ANN, BOB, protectedConfig, ROBOT } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';

const provider = runningProvider();
const service = runningService(provider, protectedConfig('operators: ["user:ann"]'));

type Headers = Record<string, string>;

async function call(who: Headers, method: string, path: string, body?: object) {
  const response = await service.fetch(`/api/v1${path}`, {
    method,
    headers: { ...who, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  return { status: response.status, body: (await response.json()) as any };
}

async function rated(who: Headers, prompt: string, feedback: object): Promise<string> {
  const { body } = await service.chat({ user_prompt: prompt }, who);
  await call(who, 'PUT', `/messages/${body.message_id}/feedback`, feedback);
  return body.message_id;
}

async function listed(who: Headers, query = ''): Promise<string[]> {
  const { body } = await call(who, 'GET', `/reviews${query}`);
  return body.reviews.map(({ message_id }: { message_id: string }) => message_id);
}

const DOWN = { positive_feedback: false, comment: 'Not what I asked.' };

test('a bad answer is listed with its question for its owner, and for operators who request it', async () => {
  const bad = await rated(BOB, 'Where is my <b>order</b>?', DOWN);
  await rated(BOB, 'Hello', { positive_feedback: true });
  const { body } = await call(BOB, 'GET', '/reviews');
  expect(body).toMatchObject({
    next_cursor: null,
    reviews: [
      {
        message_id: bad,
        workflow: 'classification-agent',
        question: 'Where is my <b>order</b>?',
        answer: expect.stringContaining('re: '),
        feedback: { ...DOWN, rating: null },
      },
    ],
  });
  expect(body.reviews[0].owner).toBeUndefined();
  expect([await listed(ANN), await listed(ROBOT), await listed(ROBOT, '?owner=*')]).toEqual([[], [], []]);
  expect(await listed(ANN, '?owner=user:bob')).toEqual([bad]);
  expect((await call(ANN, 'GET', '/reviews?owner=*')).body.reviews).toMatchObject([{ owner: 'user:bob' }]);
  for (const query of ['?reviewed=yes', '?limit=0', '?cursor=x', '?cursor=runs.sYQ'])
    expect((await call(BOB, 'GET', `/reviews${query}`)).status).toBe(400);
  expect((await call({}, 'GET', '/reviews')).status).toBe(401);
});

test('its owner and operators mark it as reviewed, with the corrected answer', async () => {
  const bad = await rated(BOB, 'How long is the warranty?', DOWN);
  const review = { reviewed: true, corrected_answer: 'Five years.' };
  const refused = await call(ROBOT, 'PUT', `/reviews/${bad}`, review);
  const unknown = await call(ROBOT, 'PUT', '/reviews/unknown', review);
  expect([refused.status, refused.body.error_code]).toEqual([404, 'MESSAGE_NOT_FOUND']);
  expect([unknown.status, unknown.body.error_code]).toEqual([404, 'MESSAGE_NOT_FOUND']);
  const { status, body } = await call(ANN, 'PUT', `/reviews/${bad}`, review);
  expect([status, body.review]).toEqual([
    200,
    { reviewed_at: expect.any(String), reviewer: 'user:ann', corrected_answer: 'Five years.' },
  ]);
  expect(await listed(BOB)).not.toContain(bad);
  expect(await listed(BOB, '?reviewed=true')).toContain(bad);
  const { body: seen } = await call(BOB, 'GET', `/messages/${bad}/feedback`);
  expect(seen).toMatchObject({ ...DOWN, review: { corrected_answer: 'Five years.' } });
  await call(BOB, 'PUT', `/reviews/${bad}`, { reviewed: false });
  expect(await listed(BOB)).toContain(bad);
});

test('new feedback on an answer reopens it', async () => {
  const bad = await rated(BOB, 'Is it green?', DOWN);
  await call(BOB, 'PUT', `/reviews/${bad}`, { reviewed: true });
  expect(await listed(BOB)).not.toContain(bad);
  await call(BOB, 'PUT', `/messages/${bad}/feedback`, { rating: 1 });
  expect(await listed(BOB)).toContain(bad);
  await call(BOB, 'PUT', `/messages/${bad}/feedback`, { rating: 5 });
  expect(await listed(BOB)).not.toContain(bad);
});

test('an answer without feedback cannot be reviewed, and neither can a question', async () => {
  const { body } = await service.chat({ user_prompt: 'Hello' }, BOB);
  const answer = await call(BOB, 'PUT', `/reviews/${body.message_id}`, { reviewed: true });
  expect([answer.status, answer.body.error_code]).toEqual([404, 'NOT_FOUND']);
  const { body: thread } = await call(BOB, 'GET', `/threads/${body.thread_id}/messages`);
  const question = await call(BOB, 'PUT', `/reviews/${thread.messages[0].message_id}`, { reviewed: true });
  expect(question.status).toBe(404);
  for (const sent of [{}, { reviewed: 'yes' }, { reviewed: true, corrected_answer: 1 }])
    expect((await call(BOB, 'PUT', `/reviews/${body.message_id}`, sent)).status).toBe(400);
});

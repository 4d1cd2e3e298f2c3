/** Idempotency-Key: one run, one message and one response for all repeats of a request. */
import { expect, test } from 'bun:test';
import type { Answer } from '../../support/service.ts';
import { conversationOf, echoing, failure } from '../support/calls.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider);

const post = (body: object, key: string, signal?: AbortSignal) =>
  service.chat({ user_prompt: 'hi', ...body }, { 'idempotency-key': key }, signal);

const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

/** Makes the provider hold every answer until `release`. */
function held() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  provider.script = async (request, index) => {
    await promise;
    return echoing()(request, index);
  };
  return { release, calls: (count: number) => until(() => provider.requests.length === count) };
}

test('the same key and body return the stored response without calling a model', async () => {
  const first = await post({}, 'same');
  const again = await post({}, 'same');
  expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
  expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
  expect(provider.requests).toHaveLength(2);
});

test('the order of the fields does not matter', async () => {
  const first = await post({ topic: 'a', event_type: 'b' }, 'order');
  const again = await post({ event_type: 'b', topic: 'a' }, 'order');
  expect({ replay: isReplay(again), run_id: again.body.run_id }).toEqual({
    replay: true,
    run_id: first.body.run_id,
  });
});

test('a repeat waits for the response while the first request runs', async () => {
  const { release, calls } = held();
  const first = post({ thread_id: 'going' }, 'going');
  await calls(1);
  const others = [post({ thread_id: 'going' }, 'going'), post({ thread_id: 'going' }, 'going')];
  release();
  const answers = await Promise.all([first, ...others]);
  expect(answers.map(isReplay)).toEqual([false, true, true]);
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
  expect(provider.requests).toHaveLength(2);
});

test('ten requests at the same moment create one run', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => post({}, 'burst')));
  expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
  expect(answers.filter(isReplay)).toHaveLength(9);
  expect(provider.requests).toHaveLength(2);
});

test.each(['reject', 'supersede'])(
  'a retry with the strategy %s gets the response of the original run',
  async (strategy) => {
    const { release, calls } = held();
    const options = { thread_id: strategy, multitask_strategy: strategy };
    const first = post(options, strategy);
    await calls(1);
    const retry = post(options, strategy);
    // A later request gets its response, so the retry has been handled.
    const later = await service.chat({
      user_prompt: 'later',
      thread_id: strategy,
      multitask_strategy: 'reject',
    });
    expectRefused(later, 409, 'THREAD_BUSY');
    release();
    const answers = await Promise.all([first, retry]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(isReplay)).toEqual([false, true]);
  },
);

test('a different body with the same key is rejected and runs nothing', async () => {
  await post({}, 'other');
  provider.requests.length = 0;
  expectRefused(await post({ user_prompt: 'canary' }, 'other'), 409, 'IDEMPOTENCY_MISMATCH');
  expect(provider.requests).toEqual([]);
});

test('a failure is replayed too', async () => {
  provider.script = echoing({ classification: () => failure(400) });
  const first = await post({}, 'failed');
  provider.script = echoing();
  const again = await post({}, 'failed');
  const [before, after] = [first, again].map((answer) => expectRefused(answer, 500, 'MODEL_CALL_FAILED'));
  expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
  expect({ message: after?.message, detail: after?.detail }).toEqual({
    message: before?.message,
    detail: before?.detail,
  });
  expect(provider.requests).toHaveLength(1);
});

test('a rejection is not stored, so the key can be used for an accepted request', async () => {
  expectRefused(await post({ conversation_flow: 'nope' }, 'free'), 400, 'INVALID_WORKFLOW_TYPE');
  expectRefused(await post({ user_prompt: 1 }, 'free'), 400, 'INVALID_REQUEST');
  const answer = await post({}, 'free');
  expect({ status: answer.status, replay: isReplay(answer) }).toEqual({ status: 200, replay: false });
});

test('the run continues when its client disconnects, and a retry gets its response', async () => {
  const { release, calls } = held();
  const client = new AbortController();
  const first = post({ thread_id: 'left' }, 'left', client.signal);
  await calls(1);
  client.abort();
  expect(await first.catch(({ name }) => name)).toBe('AbortError');
  release();
  const retry = await post({ thread_id: 'left' }, 'left');
  expect({ status: retry.status, replay: isReplay(retry) }).toEqual({ status: 200, replay: true });
  expect({ aborted: provider.aborted, calls: provider.requests.length }).toEqual({ aborted: 0, calls: 2 });
});

test('the repeated turn is once in the memory and once in the store', async () => {
  for (let retry = 0; retry < 3; retry++) await post({ user_prompt: 'once', thread_id: 'once' }, 'once');
  await service.chat({ user_prompt: 'next', thread_id: 'once' });
  expect(conversationOf(provider.requests.at(-1) ?? { model: '', messages: [] })).toEqual([
    'once',
    're: once',
    'next',
  ]);
  const { runs, messages } = await storedIn(service.folder);
  expect(runs.filter(({ prompt }) => prompt === 'once')).toHaveLength(1);
  expect(messages.filter(({ content }) => content === 'once')).toHaveLength(1);
});

test.each([
  ['empty', ''],
  ['not ASCII', 'schlüssel'],
  ['256 characters long', 'k'.repeat(256)],
  ['with a tab', 'a\tb'],
])('a key that is %s is rejected', async (_, key) => {
  expectRefused(await post({}, key), 400, 'INVALID_REQUEST');
  expect(provider.requests).toEqual([]);
});

test('a key of 255 characters with spaces is accepted', async () => {
  expect((await post({}, `k ~${'k'.repeat(252)}`)).status).toBe(200);
});

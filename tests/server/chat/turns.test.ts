/** Turns of a thread run one at a time and in order; the strategies for concurrent turns. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { callOf, conversationOf, echoing, questionOf } from '../support/calls.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { storedIn } from '../support/stored.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
const service = runningService(provider, 'memory: {window_messages: 1000, window_tokens: 100000}');
const gates = new Map<string, PromiseWithResolvers<void>>();

beforeEach(() => {
  provider.script = async (request, index) => {
    if (callOf(request) === 'answer') await gates.get(questionOf(request))?.promise;
    return echoing()(request, index);
  };
});

afterEach(() => {
  for (const gate of gates.values()) gate.resolve();
  gates.clear();
});

/** The conversation that each answering call saw, in the order of the calls. */
const conversations = () =>
  provider.requests.filter((request) => callOf(request) === 'answer').map(conversationOf);

/** Starts a turn whose answer the provider holds until `release`, and waits for the model call. */
async function heldTurn(user_prompt: string, thread_id: string) {
  const gate = Promise.withResolvers<void>();
  gates.set(user_prompt, gate);
  const answer = service.chat({ user_prompt, thread_id });
  await until(() => conversations().some((conversation) => conversation.at(-1) === user_prompt));
  return { answer, release: gate.resolve };
}

async function untilWaiting(count: number): Promise<void> {
  await until(async () => {
    const health = (await (await service.fetch('/api/v1/health')).json()) as Health;
    return health.components.runs.waiting === count;
  });
}

type Health = { components: { runs: { waiting: number } } };

test('fifty parallel requests on a thread are each answered once, in one order, and each sees exactly its predecessors', async () => {
  const prompts = Array.from({ length: 50 }, (_, index) => `q${index}`);
  const answers = await Promise.all(
    prompts.map((user_prompt) => service.chat({ user_prompt, thread_id: 'parallel' })),
  );
  answers.forEach(({ status, body }, index) => {
    expect({ status, content: body.outputs[1].content }).toEqual({ status: 200, content: `re: q${index}` });
  });
  const order = conversations().map((conversation) => conversation.at(-1) ?? '');
  expect(order.toSorted()).toEqual(prompts.toSorted());
  const histories = order.map((question, index) => [
    ...order.slice(0, index).flatMap((q) => [q, `re: ${q}`]),
    question,
  ]);
  expect(conversations()).toEqual(histories);
  const { runs, messages } = await storedIn(service.folder);
  expect(runs.map(({ prompt }) => prompt).filter((prompt) => prompts.includes(prompt))).toEqual(order);
  expect(messages.map(({ content }) => content).filter((content) => prompts.includes(content))).toEqual(
    order,
  );
});

test('three hundred parallel threads with a slow provider each get their own answer', async () => {
  provider.script = async (request, index) => {
    if (callOf(request) === 'answer') await Bun.sleep(100);
    return echoing()(request, index);
  };
  // Over raw sockets, because a process has at most 256 parallel fetches, and the service's own are among them here.
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const socket = await rawSocket(service);
      const body = JSON.stringify({
        conversation_flow: 'classification-agent',
        user_prompt: `p${index}`,
        thread_id: `slow-${index}`,
      });
      await socket.send(
        `POST /api/v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return socket.answer(15_000).finally(() => socket.close());
    }),
  );
  answers.forEach(({ status, body }, index) => {
    expect([status, body.outputs[1].content]).toEqual([200, `re: p${index}`]);
  });
}, 60_000);

test('queued turns run in the order of their arrival', async () => {
  const { answer, release } = await heldTurn('first', 'queue');
  const others = [];
  for (const [index, user_prompt] of ['second', 'third', 'fourth'].entries()) {
    others.push(service.chat({ user_prompt, thread_id: 'queue' }));
    await untilWaiting(index + 1);
  }
  expect(conversations()).toHaveLength(1);
  release();
  await Promise.all([answer, ...others]);
  expect(conversations().map((conversation) => conversation.at(-1))).toEqual([
    'first',
    'second',
    'third',
    'fourth',
  ]);
});

test('another thread does not wait', async () => {
  const { answer, release } = await heldTurn('slow', 'busy');
  expect((await service.chat({ user_prompt: 'quick', thread_id: 'idle' })).status).toBe(200);
  release();
  expect((await answer).status).toBe(200);
});

test('reject: a second turn on a busy thread is rejected, and nothing of it is stored', async () => {
  const { answer, release } = await heldTurn('running', 'reject');
  const second = { user_prompt: 'refused', thread_id: 'reject', multitask_strategy: 'reject' };
  expectRefused(await service.chat(second), 409, 'THREAD_BUSY');
  release();
  expect((await answer).status).toBe(200);
  expect((await storedIn(service.folder)).runs.map(({ prompt }) => prompt)).not.toContain('refused');
  expect((await service.chat(second)).status).toBe(200);
  expect(conversations().at(-1)).toEqual(['running', 're: running', 'refused']);
});

test('supersede: the running turn is cancelled for its caller, and the new one continues from the head before it', async () => {
  await service.chat({ user_prompt: 'kept', thread_id: 'supersede' });
  const { answer } = await heldTurn('replaced', 'supersede');
  const next = await service.chat({
    user_prompt: 'instead',
    thread_id: 'supersede',
    multitask_strategy: 'supersede',
  });
  expect(next.status).toBe(200);
  expectRefused(await answer, 409, 'RUN_CANCELLED');
  expect(conversations().at(-1)).toEqual(['kept', 're: kept', 'instead']);
  expect(provider.aborted).toBe(1);
  const { runs, messages } = await storedIn(service.folder);
  expect(runs.find(({ prompt }) => prompt === 'replaced')).toMatchObject({
    status: 'cancelled',
    code: 'RUN_CANCELLED',
  });
  expect(messages.map(({ content }) => content)).not.toContain('replaced');
});

test('of several simultaneous supersedes, the newest runs', async () => {
  const { answer, release } = await heldTurn('first', 'newest');
  const prompts = ['b', 'c', 'd'];
  const others = prompts.map((user_prompt) =>
    service.chat({ user_prompt, thread_id: 'newest', multitask_strategy: 'supersede' }),
  );
  const [first, ...answers] = await Promise.all([answer, ...others]);
  release();
  expect(first.status).toBe(409);
  const newest = (await storedIn(service.folder)).runs.at(-1)?.prompt ?? '';
  expect(answers.map(({ status }) => status)).toEqual(prompts.map((one) => (one === newest ? 200 : 409)));
  expect(conversations().at(-1)).toEqual([newest]);
});

test('supersede on an idle thread is an ordinary turn', async () => {
  const asking = { thread_id: 'calm', multitask_strategy: 'supersede' };
  await service.chat({ user_prompt: 'one', ...asking });
  expect((await service.chat({ user_prompt: 'two', ...asking })).status).toBe(200);
  expect(conversations().at(-1)).toEqual(['one', 're: one', 'two']);
});

test('a queued turn whose client disconnects never reaches the model', async () => {
  const { answer, release } = await heldTurn('ahead', 'left');
  const client = new AbortController();
  const second = service.chat({ user_prompt: 'left the line', thread_id: 'left' }, {}, client.signal);
  await untilWaiting(1);
  client.abort();
  expect(await second.catch(({ name }) => name)).toBe('AbortError');
  await untilWaiting(0);
  release();
  expect((await answer).status).toBe(200);
  await service.chat({ user_prompt: 'third', thread_id: 'left' });
  expect(conversations()).toEqual([['ahead'], ['ahead', 're: ahead', 'third']]);
});

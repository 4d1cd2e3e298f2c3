/** Unusual but valid bodies of POST /api/v1/chat, and the prompts that reach the model. */
import { expect, test } from 'bun:test';
import { questionOf } from '../../support/calls.ts';
import { answerOf } from '../../support/refused.ts';
import { runningProvider, runningService } from '../../support/running.ts';

const provider = runningProvider();
const service = runningService(provider);

const GOOD = '"user_prompt":"hi","conversation_flow":"classification-agent"';

const ask = (body: RequestInit['body'], type = 'application/json') =>
  answerOf(service.fetch('/api/v1/chat', { method: 'POST', headers: { 'content-type': type }, body }));

/** The prompt of the model's last call. */
const question = () => questionOf(provider.requests[0] ?? { model: '', messages: [] });

test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json ;charset="UTF-8"'])(
  'the content type %s',
  async (type) => {
    expect((await ask(`{${GOOD}}`, type)).status).toBe(200);
  },
);

test('a byte order mark before the JSON', async () => {
  expect((await ask(`\ufeff{${GOOD}}`)).status).toBe(200);
});

test('of duplicate keys, the last wins', async () => {
  const { status } = await ask(`{"user_prompt":"first","user_prompt":5,${GOOD},"user_prompt":"last"}`);
  expect({ status, question: question() }).toEqual({ status: 200, question: 'last' });
});

test('keys __proto__ and constructor are dropped and have no effect', async () => {
  const polluted = '{"thread_id":"poisoned","topic":"poisoned","toString":1}';
  const { status, body } = await ask(
    `{${GOOD},"__proto__":${polluted},"constructor":{"prototype":${polluted}}}`,
  );
  expect({ status, topic: body.topic }).toEqual({ status: 200, topic: null });
  expect(body.thread_id).not.toBe('poisoned');
  expect(({} as Record<string, unknown>).topic).toBeUndefined();
});

test.each(['__proto__', '\\u005f_proto__', '__pr\\u006fto__'])(
  'required fields do not come from %s',
  async (key) => {
    expect((await ask(`{"${key}":{${GOOD}}}`)).status).toBe(400);
  },
);

test('nesting of 64 levels', async () => {
  expect((await ask(`{${GOOD},"deep":${'['.repeat(63)}${']'.repeat(63)}}`)).status).toBe(200);
});

test('an array of twenty thousand values in an unknown field', async () => {
  expect((await ask(`{${GOOD},"extra":[${'1,'.repeat(20_000)}1]}`)).status).toBe(200);
});

test('brackets inside strings do not count as nesting, with any quotes and backslashes', async () => {
  const open = '[{'.repeat(200);
  const strings = ['\\"', '\\\\', '\\\\\\"', '\\\\\\\\'].map((end) => `"${open}${end}"`);
  const { status } = await ask(`{${GOOD},"extra":[${strings.join(',')}]}`);
  expect(status).toBe(200);
  expect((await ask(`{${GOOD},"topic":"${'[{'.repeat(200)}\\"${'['.repeat(200)}"}`)).status).toBe(200);
});

test('tab, line feed and carriage return, and characters of every plane', async () => {
  const { status } = await ask(`{${GOOD},"user_prompt":"a\\tb\\nc\\r \\ud83d\\udeb2 \u{1F6B2} é"}`);
  expect({ status, question: question() }).toEqual({ status: 200, question: 'a\tb\nc\r 🚲 🚲 é' });
});

test('a prompt of 100,000 characters, not counting blanks around it', async () => {
  const prompt = `  ${'x'.repeat(100_000)}\n\n`;
  const { status } = await ask(JSON.stringify({ ...JSON.parse(`{${GOOD}}`), user_prompt: prompt }));
  expect({ status, question: question() === prompt }).toEqual({ status: 200, question: true });
});

test('a prompt of 100,000 characters outside the basic plane', async () => {
  const prompt = '🚲'.repeat(100_000);
  expect((await ask(JSON.stringify({ ...JSON.parse(`{${GOOD}}`), user_prompt: prompt }))).status).toBe(200);
});

test('a body in many chunks', async () => {
  const pieces = `{${GOOD},"topic":"größer"}`.match(/./gsu) ?? [];
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  expect((await ask(body)).body.topic).toBe('größer');
});

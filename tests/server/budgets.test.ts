/** Standing budgets over HTTP: before a run, during a run, per caller and workflow, and after a restart. */
import { afterAll, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveProject } from '../graphs/adopted/project.ts';
import { USAGE } from '../support/provider.ts';
import { providerEnv, type TestService, testService } from '../support/service.ts';
import { runningProvider, runningService } from './support/running.ts';
import { until } from './support/until.ts';

const CHAT = `export default workflow({
  description: 'Says something.', example: 'Hello', agents: () => [{ name: 'teller', description: 'Tells.' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('teller', agent('teller', async (state, { answer }) => answer('Be brief.')))
    .addEdge(START, 'teller').addEdge('teller', END),
});`;
const GRAPHS = { teller: CHAT, other: CHAT };

const sha256 = (key: string) => new Bun.CryptoHasher('sha256').update(key).digest('hex');
const AUTHENTICATION = `
web_configuration:
  authentication:
    enable: true
    jwt_secret_key: 0123456789abcdef0123456789abcdef
    username: ann
    password: a long password
    api_keys:
      - {name: batch, sha256: ${sha256('batch-key-0123456789')}}
      - {name: nightly, sha256: ${sha256('nightly-key-0123456789')}}
`;
const ANN = { authorization: `Basic ${btoa('ann:a long password')}` };
const BATCH = { 'x-api-key': 'batch-key-0123456789' };
const NIGHTLY = { 'x-api-key': 'nightly-key-0123456789' };

const provider = runningProvider();
// Each turn takes 30 tokens, so the budget is used up after the first one.
const service = runningService(
  provider,
  `${AUTHENTICATION}
budgets:
  - {caller: "user:ann", workflow: teller, per: day, tokens: 30}
  - {caller: "key:batch", per: month, tokens: 5000, cost: 0.00012}
  - {caller: "key:nightly", workflow: other, per: day, tokens: 100}
models: [{model: test-model, price: {input: 1, output: 10}}]
`,
  GRAPHS,
);

const hello = { conversation_flow: 'teller', user_prompt: 'Hello.' };
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ANN, ...headers },
    body: JSON.stringify(body),
  });

function secondsLeft(per: 'day' | 'month'): number {
  const now = new Date();
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const end = per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
  return Math.ceil((end - now.getTime()) / 1000);
}

test('a used-up budget rejects runs with 429 until its period ends, and replays are still answered', async () => {
  const key = { ...ANN, 'idempotency-key': 'first' };
  const first = await service.chat(hello, key);
  expect(first.status).toBe(200);
  const refused = await service.chat(hello, ANN);
  expect({ status: refused.status, ...refused.body }).toMatchObject({
    ...{ status: 'error', error_code: 'BUDGET_EXCEEDED', message: 'The budget of this day is used up' },
    detail: "budgets[0] allows 30 tokens per day of user:ann and the workflow 'teller'",
  });
  expect(refused.status).toBe(429);
  const wait = Number(refused.headers.get('retry-after'));
  expect(Math.abs(wait - secondsLeft('day'))).toBeLessThanOrEqual(5);
  // A repeated request gets its stored response.
  const again = await service.chat(hello, key);
  expect(again.body.run_id).toBe(first.body.run_id);
  // The budget also applies to LangGraph's protocol, and rejected requests store nothing.
  expect((await post('/runs/wait', { assistant_id: 'teller', input: {} })).status).toBe(429);
  const { threads } = (await (await service.fetch('/api/v1/threads', { headers: ANN })).json()) as {
    threads: object[];
  };
  expect(threads).toHaveLength(1);
});

test('other workflows and other callers are not affected', async () => {
  expect((await service.chat({ ...hello, conversation_flow: 'other' }, ANN)).status).toBe(200);
  expect((await service.chat(hello, NIGHTLY)).status).toBe(200);
});

test('a budget can be a cost per month', async () => {
  const prompt = { ...hello, conversation_flow: 'other' };
  const first = await service.chat(prompt, BATCH);
  expect(first.body.usage.cost).toBe(0.00012);
  const refused = await service.chat(prompt, BATCH);
  expect(refused).toMatchObject({ status: 429, body: { message: 'The budget of this month is used up' } });
  expect(refused.body.detail).toBe(
    'budgets[1] allows 5000 tokens and a cost of 0.00012 per month of key:batch',
  );
  expect(Math.abs(Number(refused.headers.get('retry-after')) - secondsLeft('month'))).toBeLessThanOrEqual(5);
});

test('a call that would exceed the budget is not made, and its run fails', async () => {
  const before = provider.requests.length;
  const body = { conversation_flow: 'other', user_prompt: 'word '.repeat(100) };
  const refused = await service.chat(body, NIGHTLY);
  expect(refused).toMatchObject({
    status: 500,
    body: {
      error_code: 'BUDGET_EXCEEDED',
      message: 'The next model call would exceed the budget of this day',
      detail: "budgets[2] allows 100 tokens per day of key:nightly and the workflow 'other'",
    },
  });
  expect(provider.requests).toHaveLength(before);
  expect((await service.chat({ ...hello, conversation_flow: 'other' }, NIGHTLY)).status).toBe(200);
});

const folder = mkdtempSync(join(tmpdir(), 'skein-budgets-'));
let persistent: TestService | undefined;
afterAll(async () => {
  await persistent?.close();
  rmSync(folder, { recursive: true });
});
const start = async (tokens: number) => {
  await persistent?.close();
  const config = `budgets: [{per: day, tokens: ${tokens}}]`;
  persistent = await testService({ folder, config, graphs: GRAPHS, env: providerEnv(provider.url) });
  return persistent;
};

test('parallel runs never exceed it together, and a restart does not reset it', async () => {
  // Enough for 20 calls.
  const { chat } = await start(600);
  const answers = await Promise.all(Array.from({ length: 64 }, () => chat(hello)));
  const done = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ body }) => body.error_code === 'BUDGET_EXCEEDED')).toHaveLength(64 - done.length);
  expect(provider.requests.length * USAGE.total_tokens).toBeLessThanOrEqual(600);
  // On a busy machine, some runs time out while others hold the reservations.
  expect(done.length).toBeGreaterThanOrEqual(10);
  const again = await start(600);
  provider.requests.length = 0;
  for (let turn = 0; turn < 3; turn++) expect([429, 500, 200]).toContain((await again.chat(hello)).status);
  expect((done.length + provider.requests.length) * USAGE.total_tokens).toBeLessThanOrEqual(600);
}, 60_000);

test('an aborted call counts with the tokens it has used', async () => {
  const { fetch } = await start(1_000_000);
  provider.script = () => () =>
    new Response(
      new ReadableStream({
        start: (stream) =>
          stream.enqueue(
            `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(40_000) } }] })}\n\n`,
          ),
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
  const leaving = new AbortController();
  const response = await fetch('/api/v1/chat', {
    ...{ method: 'POST', signal: leaving.signal, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ ...hello, stream: true }),
  });
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes('event: token')) text += new TextDecoder().decode((await reader?.read())?.value);
  leaving.abort();
  const usage = async () =>
    (await (await fetch('/api/v1/usage')).json()) as { usage: { output_tokens: number }[] };
  await until(async () => (await usage()).usage.some(({ output_tokens }) => output_tokens >= 10_000));
  provider.script = () => 'Fine.';
  expect((await (await start(10_000)).chat(hello)).status).toBe(429);
});

test("the budget applies to calls of a graph's own model, and nothing is printed", async () => {
  const OWN = `
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
const model = new ChatOpenAI({ model: 'gpt-4o-mini', maxRetries: 0, maxTokens: 50 });
export default new StateGraph(MessagesAnnotation)
  .addNode('one', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'one').compile();`;
  const project = await serveProject({ own: OWN }, { config: 'budgets: [{per: day, tokens: 100}]' });
  const consoleError = spyOn(console, 'error');
  const turn = (user_prompt: string) => project.service.chat({ conversation_flow: 'own', user_prompt });
  expect((await turn('Hello.')).status).toBe(200);
  // 30 tokens are used. The prompt would fit, but not with its longest possible answer.
  const index = project.provider.requests.length;
  expect(await turn('word '.repeat(20))).toMatchObject({
    status: 500,
    body: { error_code: 'BUDGET_EXCEEDED' },
  });
  expect(project.provider.requests).toHaveLength(index);
  expect(consoleError).not.toHaveBeenCalled();
  consoleError.mockRestore();
  await project.close();
});

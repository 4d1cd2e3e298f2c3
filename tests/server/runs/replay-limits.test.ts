/** The limits of replayed model calls: validation, budgets, deadlines, rate limits and hostile bodies. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type TestService, testService } from '../../support/service.ts';
import { expectRefused } from '../support/refused.ts';
import { HELLO, replay, runOf } from '../support/replay.ts';
import { runningProvider, runningService } from '../support/running.ts';

setDefaultTimeout(60_000);

/** A body with a short prompt. */
const TELLER = `export default workflow({
  description: 'Says something.', example: 'Hello', agents: () => [{ name: 'teller', description: 'Tells.' }],
  build: ({ agent }) => new StateGraph(Conversation)
    .addNode('teller', agent('teller', async (state, { answer }) => answer('Be brief.')))
    .addEdge(START, 'teller').addEdge('teller', END),
});`;

describe('a body', () => {
  const provider = runningProvider();
  const service = runningService(provider);

  test.each([
    ['no messages', {}],
    ['an empty list of messages', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'admin', content: 'x' }] }],
    ['content that is not text', { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
    ['a tool of the provider', { ...HELLO, tools: [{ type: 'web_search' }] }],
    [
      'a tool name with a line break',
      { ...HELLO, tools: [{ type: 'function', function: { name: 'a\nb' } }] },
    ],
    ['a task with a line break and a header', { ...HELLO, task: 'a\r\nx-key: 1' }],
    ['too many repeats', { ...HELLO, n: 11 }],
    ['zero repeats', { ...HELLO, n: 0 }],
    ['a temperature out of range', { ...HELLO, temperature: 3 }],
    ['a temperature in words', { ...HELLO, temperature: 'hot' }],
    ['a limit below one', { ...HELLO, max_tokens: 0 }],
    [
      'a structured output without a name',
      { ...HELLO, response_format: { type: 'json_schema', json_schema: {} } },
    ],
    ['a list', [HELLO]],
  ])('is rejected with %s', async (_, body) => {
    const run = await runOf(service);
    provider.requests.length = 0;
    expectRefused(await replay(service, run, body), 400, 'INVALID_REQUEST');
    expect(provider.requests).toEqual([]);
  });
});

describe('limits', () => {
  const provider = runningProvider();
  const REQUEST = { conversation_flow: 'teller', user_prompt: 'Hello' };

  async function bounded(config: string, use: (service: TestService) => Promise<void>): Promise<void> {
    const env = { LLM_PROVIDER_BASE_URL: provider.url, LLM_PROVIDER_MODEL: 'test-model' };
    const service = await testService({ config, env, graphs: { teller: TELLER } });
    await use(service).finally(service.close);
  }

  test('a budget rejects a call that would exceed it, and all calls when it is used up', () =>
    bounded('budgets: [{workflow: teller, per: day, tokens: 120}]', async (service) => {
      // Each call takes 30 tokens.
      const run = await runOf(service, REQUEST);
      provider.requests.length = 0;
      const long = { messages: [{ role: 'user', content: 'word '.repeat(300) }] };
      const { status, body } = await replay(service, run, long);
      expect(status).toBe(200);
      expect(body.calls[0]).toMatchObject({
        ...{ error_code: 'BUDGET_EXCEEDED', attempt: 0, usage: { input_tokens: 0, output_tokens: 0 } },
        error_detail: "budgets[0] allows 120 tokens per day of the workflow 'teller'",
      });
      expect(provider.requests).toEqual([]);
      for (let call = 0; call < 3; call++)
        expect((await replay(service, run, HELLO)).body.calls[0].response).toBe('re: Hello');
      const refused = await replay(service, run, HELLO);
      expectRefused(refused, 429, 'BUDGET_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await service.chat(REQUEST)).status).toBe(429);
    }));

  test('the token limit of a run applies to all repeats together', () =>
    bounded('limits: {run_tokens: 100}', async (service) => {
      const run = await runOf(service, REQUEST);
      const { calls } = (await replay(service, run, { ...HELLO, n: 10 })).body;
      const answered = calls.filter(({ response }: { response: string | null }) => response !== null);
      expect(answered.length).toBeLessThan(10);
      expect(answered.length).toBeGreaterThan(0);
      expect(calls.at(-1)).toMatchObject({ error_code: 'BUDGET_EXCEEDED', response: null });
    }));

  test('each repeat counts as a chat in the rate limit', () =>
    bounded('web_configuration: {rate_limit: {requests_per_minute: 4}}', async (service) => {
      const run = await runOf(service);
      expect((await replay(service, run, { ...HELLO, n: 2 })).status).toBe(200);
      provider.requests.length = 0;
      expectRefused(await replay(service, run, { ...HELLO, n: 2 }), 429, 'RATE_LIMITED');
      expect(provider.requests).toEqual([]);
    }));

  test('the deadline of a run ends the calls that are not answered by then, and keeps the others', () =>
    bounded('limits: {run_seconds: 1}', async (service) => {
      const run = await runOf(service);
      provider.requests.length = 0;
      provider.script = (_, index) => (index === 0 ? 'In time' : () => new Promise<Response>(() => {}));
      const { calls } = (await replay(service, run, { ...HELLO, n: 2 })).body;
      expect(
        calls.map(({ response, error_code }: Record<string, unknown>) => response ?? error_code).sort(),
      ).toEqual(['In time', 'RUN_TIMEOUT']);
    }));
});

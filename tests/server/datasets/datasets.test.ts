/** Datasets over HTTP: permissions, validation, and the results of runs. */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChatRequest, CLASSIFIED } from '../../support/provider.ts';
import { providerEnv, testService } from '../../support/service.ts';
import { echoing } from '../support/calls.ts';
import { ANN, BOB, protectedConfig, ROBOT } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

/** A graph that takes no prompt. */
const DOUBLING = `
export default new StateGraph(Annotation.Root({ number: Annotation(), twice: Annotation() }))
  .addNode('double', ({ number }) => ({ twice: 2 * number }))
  .addEdge(START, 'double').addEdge('double', END).compile();`;

const provider = runningProvider();
const service = runningService(provider, protectedConfig());
const limited = runningService(
  provider,
  `${protectedConfig()}  rate_limit: {requests_per_minute: 3}
budgets:
  - {caller: "user:bob", per: day, tokens: 1}
`,
  { doubling: DOUBLING },
);

type Asked = { fetch(path: string, init?: RequestInit): Promise<Response> };

async function call(
  method: string,
  path: string,
  body?: unknown,
  who: Record<string, string> = ANN,
  at: Asked = service,
) {
  const response = await at.fetch(`/api/v1${path}`, {
    method,
    headers: { ...who, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as any };
}

const caseOf = (prompt: string, exact: string, more: object = {}) => ({ prompt, expect: { exact }, ...more });
const fileOf = (name: string, at: { folder: string } = service) =>
  join(at.folder, '.files/datasets', `${name}.jsonl`);

async function finished(dataset: string, resultId: string, at: Asked = service) {
  const read = () => call('GET', `/datasets/${dataset}/results/${resultId}`, undefined, ANN, at);
  await until(async () => (await read()).body.status !== 'running', 20_000);
  return (await read()).body;
}

/** An answer of the provider that is held until the test releases it. */
function held() {
  const { promise, resolve } = Promise.withResolvers<string>();
  provider.script = echoing({ answer: () => promise });
  return { end: () => resolve('At last.'), called: () => until(() => provider.requests.length >= 2, 20_000) };
}

test('all callers share the same datasets, and requests without credentials are rejected', async () => {
  const { status, body: added } = await call('POST', '/datasets/shared/cases', caseOf('Hello', 'Hi'));
  expect(status).toBe(201);
  for (const who of [ANN, BOB, ROBOT]) {
    const { body } = await call('GET', '/datasets/shared', undefined, who);
    expect(body).toMatchObject({ dataset: 'shared', problems: [], cases: [added] });
  }
  const changed = await call('PUT', `/datasets/shared/cases/${added.case_id}`, caseOf('Hello', 'Hey'), BOB);
  expect(changed.body).toMatchObject({ line: 1, expect: { exact: 'Hey' } });
  const lost = await call('PUT', `/datasets/shared/cases/${added.case_id}`, caseOf('Hello', 'Ho'));
  expect([lost.status, lost.body.error_code]).toEqual([404, 'NOT_FOUND']);
  const { body: list } = await call('GET', '/datasets');
  expect(list.datasets).toMatchObject([{ dataset: 'shared', cases: 1, problems: 0, last_result: null }]);
  for (const path of ['/datasets', '/datasets/shared'])
    expect((await call('GET', path, undefined, {})).status).toBe(401);
  expect((await call('POST', '/datasets/shared/cases', caseOf('a', 'b'), {})).status).toBe(401);
  expect((await call('DELETE', `/datasets/shared/cases/${changed.body.case_id}`)).status).toBe(204);
  expect(existsSync(fileOf('shared'))).toBe(false);
});

test.each([
  '..%2fup',
  '%2e%2e',
  'a%00b',
  '%ff',
  '.hidden',
  'a..b',
  'C%3a',
  'x'.repeat(65),
  '%2fetc%2fpasswd',
])('the name %p reads and creates no file', async (name) => {
  const before = readdirSync(service.folder, { recursive: true }).length;
  for (const [method, path, body] of [
    ['GET', `/datasets/${name}`],
    ['POST', `/datasets/${name}/cases`, caseOf('a', 'b')],
    ['POST', `/datasets/${name}/results`, { workflow: 'classification-agent' }],
    ['GET', `/datasets/${name}/results`],
    ['DELETE', `/datasets/${name}/results/${Bun.randomUUIDv7()}`],
  ] as const) {
    const answer = await call(method, path, body);
    expect([method, path, answer.status < 500 && answer.status >= 400]).toEqual([method, path, true]);
  }
  expect(readdirSync(service.folder, { recursive: true }).length).toBe(before);
});

test.each<[object, string]>([
  [{ prompt: 'a' }, 'expect'],
  [{ expect: { exact: 'a' } }, 'prompt'],
  [{ prompt: 'a', expect: {} }, 'expect'],
  [{ prompt: 'a', expect: { exacd: 'a' } }, 'expect'],
  [{ prompt: 'a', expect: { rows: [1] } }, 'rows'],
  [{ prompt: 'a', input: {}, expect: { exact: 'a' } }, 'prompt'],
  [{ prompt: 'a', expect: { exact: 'a' }, source: { run_id: '' } }, 'source'],
  [{ prompt: 'a', expect: { exact: 'a' }, tags: [1] }, 'tags'],
])('an invalid case is rejected with its field: %j', async (body, field) => {
  const { status, body: error } = await call('POST', '/datasets/refused/cases', body);
  expect([status, error.error_code]).toEqual([400, 'INVALID_REQUEST']);
  expect(error.detail).toContain(field);
  expect(existsSync(fileOf('refused'))).toBe(false);
});

test('a text with a line break stays one line of the file, and unknown fields are dropped', async () => {
  const prompt = 'One\n{"prompt":"x"}\r\n\u2028Two';
  await call('POST', '/datasets/lines/cases', { ...caseOf(prompt, 'a'), id: 'a', line: 7, unknown: true });
  expect(JSON.parse(readFileSync(fileOf('lines'), 'utf8'))).toEqual({ id: 'a', ...caseOf(prompt, 'a') });
});

test('a file that was broken by hand is shown with the position, and cannot be changed or run', async () => {
  const text = '{"prompt":"fine","expect":{"exact":"a"}}\n{"prompt": }\n';
  await call('POST', '/datasets/broken/cases', caseOf('a', 'b'));
  writeFileSync(fileOf('broken'), text);
  const { body } = await call('GET', '/datasets/broken');
  expect(body.cases).toHaveLength(1);
  expect(body.problems).toEqual([{ line: 2, column: 12, reason: 'is not a JSON object' }]);
  for (const [path, sent] of [
    ['cases', caseOf('a', 'b')],
    ['results', { workflow: 'classification-agent' }],
  ] as const) {
    const { status, body: error } = await call('POST', `/datasets/broken/${path}`, sent);
    expect([status, error.error_code]).toEqual([500, 'CONFIGURATION_ERROR']);
    expect(error.message).toStartWith('broken.jsonl line 2 column 12: is not a JSON object');
  }
  expect(readFileSync(fileOf('broken'), 'utf8')).toBe(text);
});

test('a run sends every case, conversations in order, and reports verdicts and versions', async () => {
  provider.script = echoing({ answer: ({ messages }: ChatRequest) => `heard ${messages.length - 1}` });
  for (const one of [
    {
      id: 'category',
      prompt: 'My bike broke',
      expect: { json: { 'outputs[0].data.category': CLASSIFIED.category } },
    },
    { id: 'wrong', prompt: 'Hello', expect: { exact: 'never', contains: ['zzz'] } },
    { id: 'first', prompt: 'I am Bob', thread: 'talk', expect: { contains: ['heard'] } },
    { id: 'second', prompt: 'Who am I?', thread: 'talk', expect: { contains: ['heard'] } },
  ])
    await call('POST', '/datasets/judged/cases', one);
  const { status, body: started } = await call('POST', '/datasets/judged/results', {
    workflow: 'classification_agent',
  });
  expect(status).toBe(202);
  expect(started).toMatchObject({
    status: 'running',
    total: 4,
    workflow: 'classification-agent',
    author: 'user:ann',
  });
  const result = await finished('judged', started.result_id);
  expect(result).toMatchObject({
    status: 'finished',
    done: 4,
    right: 3,
    unanswered: 0,
    error: null,
    models: ['test-model'],
  });
  expect(result.tokens).toBeGreaterThan(0);
  expect(result.prompts).toContainEqual(
    expect.objectContaining({ filename: expect.stringContaining('classification-agent.'), version: 0 }),
  );
  expect(result.cases.map(({ id }: { id: string }) => id)).toEqual(['category', 'wrong', 'first', 'second']);
  const byId = (id: string) => result.cases.find((one: { id: string }) => one.id === id);
  expect(byId('wrong')).toMatchObject({
    right: false,
    answered: true,
    misses: ['the answer is a different text', 'lacks "zzz"'],
    expect: { exact: 'never', contains: ['zzz'] },
  });
  const talk = ['first', 'second'].map((id) => Number(/heard (\d+)/.exec(byId(id).answer)?.[1]));
  expect(talk[1]).toBeGreaterThan(talk[0] ?? 0);
  // Its conversations are not among the caller's threads.
  expect((await call('GET', '/threads')).body.threads).toEqual([]);
  const { body: usage } = await call('GET', '/usage');
  expect(usage.usage[0].runs).toBe(4);
  const { body: list } = await call('GET', '/datasets');
  const { cases: _, ...head } = result;
  expect(list.datasets.find((one: { dataset: string }) => one.dataset === 'judged').last_result).toEqual(
    head,
  );
  expect((await call('GET', '/datasets/judged/results', undefined, BOB)).body.results).toEqual([head]);
  expect((await call('DELETE', `/datasets/judged/results/${started.result_id}`)).status).toBe(204);
  expect((await call('GET', `/datasets/judged/results/${started.result_id}`)).status).toBe(404);
});

test('a case without an answer has the reason and does not stop the others', async () => {
  provider.script = (request, index) =>
    JSON.stringify(request.messages).includes('fail')
      ? Response.json({ error: { message: 'no' } }, { status: 400 })
      : echoing()(request, index);
  await call('POST', '/datasets/failing/cases', caseOf('fail', 'a'));
  await call('POST', '/datasets/failing/cases', { prompt: 'fine', expect: { contains: ['fine'] } });
  const { body } = await call('POST', '/datasets/failing/results', { workflow: 'classification-agent' });
  const result = await finished('failing', body.result_id);
  expect(result).toMatchObject({ status: 'finished', right: 1, unanswered: 1 });
  const [failed] = result.cases.filter((one: { answered: boolean }) => !one.answered);
  expect(failed.misses).toEqual([expect.stringContaining('The language model call failed')]);
});

test('an unknown workflow or dataset is rejected before any call', async () => {
  await call('POST', '/datasets/there/cases', caseOf('a', 'b'));
  const run = async (dataset: string, workflow: string) => {
    const { status, body } = await call('POST', `/datasets/${dataset}/results`, { workflow });
    return [status, body.error_code];
  };
  expect(await run('there', 'nothing')).toEqual([400, 'INVALID_WORKFLOW_TYPE']);
  expect(await run('nothing', 'classification-agent')).toEqual([404, 'NOT_FOUND']);
  expect(provider.requests).toHaveLength(0);
});

test('a dataset with more cases than allowed, written by hand, cannot be run', async () => {
  const line = JSON.stringify(caseOf('a', 'b'));
  await Bun.write(fileOf('large'), `${line}\n`.repeat(1_001));
  const { status, body } = await call('POST', '/datasets/large/results', {
    workflow: 'classification-agent',
  });
  expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST']);
  expect(body.detail).toBe("the dataset 'large' has 1001 cases: expected 1 to 1000");
});

test('deleting a running result stops it, and a caller has at most two running results', async () => {
  const answer = held();
  await call('POST', '/datasets/slow/cases', caseOf('a', 'b'));
  const start = (who = ANN) =>
    call('POST', '/datasets/slow/results', { workflow: 'classification-agent' }, who);
  const { body } = await start();
  await answer.called();
  expect((await start()).status).toBe(202);
  expect([(await start()).status, (await start(BOB)).status]).toEqual([503, 202]);
  const { body: results } = await call('GET', '/datasets/slow/results');
  for (const one of results.results) await call('DELETE', `/datasets/slow/results/${one.result_id}`);
  await until(async () => (await start()).status === 202, 20_000);
  answer.end();
  expect((await call('GET', `/datasets/slow/results/${body.result_id}`)).status).toBe(404);
});

test("runs of a dataset count in the caller's rate limit, and a used-up budget ends them", async () => {
  const at = limited;
  for (const number of [1, 2, 3, 4])
    await call('POST', '/datasets/counted/cases', caseOf(`Question ${number}`, 'a'), ANN, at);
  const { body } = await call(
    'POST',
    '/datasets/counted/results',
    { workflow: 'classification-agent' },
    ANN,
    at,
  );
  await until(async () => {
    const { body: result } = await call(
      'GET',
      `/datasets/counted/results/${body.result_id}`,
      undefined,
      ANN,
      at,
    );
    return result.done === 3;
  }, 20_000);
  const chat = { user_prompt: 'Hello', conversation_flow: 'classification-agent' };
  expect((await call('POST', '/chat', chat, ANN, at)).body.error_code).toBe('RATE_LIMITED');
  await call('DELETE', `/datasets/counted/results/${body.result_id}`, undefined, ANN, at);
  await call('POST', '/datasets/costly/cases', caseOf('One', 'a'), BOB, at);
  const costly = await call(
    'POST',
    '/datasets/costly/results',
    { workflow: 'classification-agent' },
    BOB,
    at,
  );
  const result = await finished('costly', costly.body.result_id, at);
  expect(result.right).toBe(0);
  expect(JSON.stringify(result)).toContain('budget');
});

test('a case with an input starts a graph that takes no prompt, and the whole response is judged', async () => {
  const at = limited;
  for (const twice of [14, 15])
    await call(
      'POST',
      '/datasets/doubled/cases',
      { id: String(twice), input: { number: 7 }, expect: { json: { 'values.twice': twice } } },
      ROBOT,
      at,
    );
  const { body } = await call('POST', '/datasets/doubled/results', { workflow: 'doubling' }, ROBOT, at);
  const result = await finished('doubled', body.result_id, at);
  expect(result.cases).toMatchObject([
    { id: '14', right: true, prompt: '{"number":7}' },
    { id: '15', right: false, misses: ['values.twice is 14'] },
  ]);
});

test('a shutdown leaves the result as stopped', async () => {
  const answer = held();
  const own = await testService({ env: providerEnv(provider.url) });
  const open = (method: string, path: string, body?: unknown) => call(method, path, body, {}, own);
  await open('POST', '/datasets/ended/cases', caseOf('a', 'b'));
  await open('POST', '/datasets/ended/results', { workflow: 'classification-agent' });
  await answer.called();
  const results = join(own.folder, '.files/datasets/.results', 'ended');
  const [file = ''] = readdirSync(results);
  await own.service.close(0);
  expect(JSON.parse(readFileSync(join(results, file), 'utf8'))).toMatchObject({ status: 'stopped', done: 0 });
  const late = await open('POST', '/datasets/ended/results', { workflow: 'classification-agent' });
  expect([late.status, late.body.error_code]).toEqual([503, 'SHUTTING_DOWN']);
  answer.end();
  await own.close().catch(() => {});
});

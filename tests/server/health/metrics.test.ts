/** The counters and histograms of `GET /metrics`, in the format of Prometheus. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { classifying } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { runningProvider } from '../support/running.ts';
import { until } from '../support/until.ts';

const provider = runningProvider();
let service: TestService;
beforeAll(async () => {
  service = await testService({ env: providerEnv(provider.url) });
});
afterAll(() => service.close());

async function metrics(of = service): Promise<string> {
  return (await of.fetch('/metrics')).text();
}

/** The value of a series by its full name. Undefined if it doesn't exist. */
async function value(series: string, of = service): Promise<number | undefined> {
  const line = (await metrics(of)).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('requests are counted by method, route and status, and never by values of the client', async () => {
  for (const id of ['a', 'b', 'c']) await service.fetch(`/api/v1/threads/${id}`);
  for (const path of ['/nothing', '/nothing/else?x=1']) await service.fetch(path);
  await service.fetch('/api/v1/threads', { method: 'HEAD' });
  await service.fetch('/api/v1/threads', { method: 'DELETE' });
  await service.fetch('/api/v1/threads', { method: 'PURGE' });
  const of = (method: string, route: string, status: number) =>
    value(`skein_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
  expect(await of('GET', '/api/v1/threads/:thread_id', 404)).toBe(3);
  expect(await of('GET', 'none', 404)).toBe(2);
  expect(await of('HEAD', '/api/v1/threads', 200)).toBe(1);
  expect(await of('DELETE', '/api/v1/threads', 405)).toBe(1);
  expect(await of('OTHER', '/api/v1/threads', 405)).toBe(1);
  expect(await value('skein_http_request_seconds_count{route="/api/v1/threads/:thread_id"}')).toBe(3);
  const text = await metrics();
  for (const chosen of ['PURGE', '/nothing', 'x=1']) expect(text).not.toContain(chosen);
});

test('a streamed response is counted at its end, also if its client has disconnected', async () => {
  const held = Promise.withResolvers<void>();
  provider.script = async (request, index) => {
    await held.promise;
    return classifying('Send a photo.')(request, index);
  };
  const series = 'skein_http_requests_total{method="POST",route="/api/v1/chat",status="200"}';
  const before = (await value(series)) ?? 0;
  const stream = (signal?: AbortSignal) =>
    service.fetch('/api/v1/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_prompt: 'x', conversation_flow: 'classification-agent', stream: true }),
      ...(signal && { signal }),
    });
  const read = await stream();
  const leaving = new AbortController();
  await stream(leaving.signal);
  expect((await value(series)) ?? 0).toBe(before);
  leaving.abort();
  await until(async () => (await value(series)) === before + 1);
  held.resolve();
  await read.text();
  await until(async () => (await value(series)) === before + 2);
});

test('runs, model calls and writes are measured', async () => {
  provider.script = classifying('Send a photo.');
  const names = [
    'skein_run_queue_seconds_count',
    'skein_first_token_seconds_count{workflow="classification-agent"}',
    'skein_model_calls_total{model="test-model",outcome="succeeded"}',
    'skein_state_write_seconds_count',
  ];
  const before = await Promise.all(names.map((name) => value(name)));
  expect((await service.chat({ user_prompt: 'It broke.' })).status).toBe(200);
  const after = await Promise.all(names.map((name) => value(name)));
  const [queue = 0, token = 0, calls = 0, writes = 0] = names.map(
    (_, index) => (after[index] ?? 0) - (before[index] ?? 0),
  );
  expect({ queue, token, calls }).toEqual({ queue: 1, token: 1, calls: 2 });
  expect(writes).toBeGreaterThanOrEqual(2);
});

test('a call over budget counts as rejected', async () => {
  const env = providerEnv(provider.url);
  const bounded = await testService({ env, config: 'limits: {run_tokens: 1}' });
  try {
    const answer = await bounded.chat({ user_prompt: 'It broke.' });
    expect(answer.body.error_code).toBe('BUDGET_EXCEEDED');
    expect(await value('skein_model_calls_total{model="test-model",outcome="refused"}', bounded)).toBe(1);
  } finally {
    await bounded.close();
  }
});

test('failed calls are counted, and an open breaker is visible', async () => {
  const failing = await testService({ env: providerEnv(provider.url) });
  try {
    provider.script = () => new Response('down', { status: 503, headers: { 'retry-after': '0' } });
    expect(await value('skein_model_breaker_open{model="test-model"}', failing)).toBe(0);
    const series = 'skein_model_breaker_open{model="test-model"}';
    await until(async () => {
      await failing.chat({ user_prompt: 'It broke.' });
      return (await value(series, failing)) === 1;
    }, 30_000);
    const failed = 'skein_model_calls_total{model="test-model",outcome="failed"}';
    expect(await value(failed, failing)).toBeGreaterThanOrEqual(5);
  } finally {
    await failing.close();
  }
}, 60_000);

test('searches, the event loop and the disk are measured', async () => {
  const before = (await value('skein_index_search_seconds_count')) ?? 0;
  const found = await service.fetch('/api/v1/knowledge/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'frames' }),
  });
  expect(found.status).toBe(200);
  expect(await value('skein_index_search_seconds_count')).toBe(before + 1);
  await until(async () => ((await value('skein_event_loop_delay_seconds_count')) ?? 0) > 0);
  for (const part of ['state', 'documents', 'index'])
    expect({ part, bytes: await value(`skein_disk_bytes{part="${part}"}`) }).toEqual({
      part,
      bytes: expect.any(Number),
    });
  expect(await value('skein_disk_bytes{part="state"}')).toBeGreaterThan(0);
});

test('every metric has HELP and TYPE, base units, and the suffix of its type', async () => {
  expect(lint(await metrics())).toEqual([]);
  const bad =
    '# HELP skein_wait_milliseconds\n# TYPE skein_wait_milliseconds counter\nskein_wait_milliseconds 1\n';
  expect(lint(bad)).toHaveLength(3);
});

/** The rules of `promtool check metrics`. */
function lint(text: string): string[] {
  const families = text.matchAll(/^# HELP (\S+)(.*)\n(?:# TYPE \S+ (\S+))?/gm);
  return Array.from(families, ([, name = '', help = '', type]) => [
    ...(help.trim() === '' ? [`${name} has no help`] : []),
    ...(type === undefined ? [`${name} has no type`] : []),
    ...((type === 'counter') !== name.endsWith('_total') ? [`${name}: _total is for counters`] : []),
    ...(type !== 'histogram' && /_(bucket|count|sum)$/.test(name) ? [`${name}: a suffix of histograms`] : []),
    ...(/milli|micro|nano|minute|hour|kilo|mega|_ms\b|percent/.test(name) ? [`${name}: no base unit`] : []),
    ...(/(counter|gauge|histogram)/.test(name) ? [`${name} names its type`] : []),
    ...(/[A-Z]|[^a-z0-9_]/.test(name) ? [`${name}: not in snake case`] : []),
  ]).flat();
}

/** Traces and the access log of `skein serve`: after a kill, with an unreachable endpoint, and without one. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../server/support/until.ts';
import { otlpReceiver, SEND_IMMEDIATELY } from '../support/otlp-receiver.ts';
import { listening, type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { classifying, scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { stateEnv } from '../support/test-state.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(90_000);

const root = mkdtempSync(join(tmpdir(), 'skein-telemetry-'));
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});
afterAll(() => rmSync(root, { recursive: true }));

function tracked(service: ServiceProcess): ServiceProcess {
  opened.push(async () => {
    service.kill('SIGKILL');
    await service.exited;
  });
  return service;
}

/** Starts a service and collects its log at the level `info`. */
async function serve(name: string, env: Record<string, string>, preload?: string): Promise<ServiceProcess> {
  const folder = join(root, name);
  await Bun.write(join(folder, '.keep'), '');
  const flags = ['--port', '0', '--host', '127.0.0.1', '--log-level', 'info'];
  const all = { ...WITHOUT_SAMPLES, ...(await stateEnv(folder)), ...env };
  return tracked(await listening(spawnCommand(['serve', ...flags], folder, all, preload)));
}

function lines(service: ServiceProcess, message: string): Record<string, unknown>[] {
  const found = service
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`));
  return found.map((line) => JSON.parse(line.slice(line.indexOf('{'))));
}

function chat(service: ServiceProcess, body: object = {}, headers: Record<string, string> = {}) {
  return fetch(`${service.url}/api/v1/chat?token=secret-in-the-query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ user_prompt: 'It broke.', conversation_flow: 'classification-agent', ...body }),
  });
}

test('a run that continues after kill -9 continues its trace', async () => {
  const receiver = otlpReceiver();
  const provider = scriptedProvider(classifying(() => () => new Promise<Response>(() => {})));
  opened.push(receiver.close, provider.close);
  const folder = join(root, 'killed');
  await Bun.write(join(folder, '.keep'), '');
  const env = {
    ...providerEnv(provider.url),
    ...SEND_IMMEDIATELY,
    SERVICE_TELEMETRY__OTLP_ENDPOINT: receiver.url,
  };
  const first = tracked(await spawnService(folder, env));
  const accepted = await chat(first, {}, { prefer: 'respond-async' });
  expect(accepted.status).toBe(202);
  const request = await receiver.span('POST /api/v1/chat');
  await receiver.span('invoke_agent classification_agent');
  await until(() => provider.requests.length === 2, 20_000);
  first.kill('SIGKILL');
  await first.exited;
  provider.script = classifying('Send a photo.');
  tracked(await spawnService(folder, env));
  const run = await receiver.span('invoke_workflow classification-agent');
  expect(run).toMatchObject({
    traceId: request.traceId,
    parentSpanId: request.spanId,
    links: [{ traceId: request.traceId, spanId: request.spanId }],
    attributes: { 'skein.run.recovered': true, 'skein.run.status': 'succeeded' },
  });
  const responder = await receiver.span('invoke_agent support_responder');
  expect(responder).toMatchObject({ traceId: request.traceId, parentSpanId: run.spanId });
  expect(receiver.spans.filter(({ name }) => name === 'invoke_agent classification_agent')).toHaveLength(1);
});

test('an unreachable endpoint is logged once, slows no run, and does not delay the exit', async () => {
  const receiver = otlpReceiver();
  await receiver.close();
  const service = await serve('away', {
    ...SEND_IMMEDIATELY,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    SERVICE_TELEMETRY__OTLP_ENDPOINT: receiver.url,
  });
  expect((await chat(service)).status).toBe(200);
  await until(() => lines(service, 'traces cannot be sent; runs continue without them').length > 0, 20_000);
  for (let turn = 0; turn < 5; turn++) {
    const began = performance.now();
    expect((await chat(service)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(5_000);
    await Bun.sleep(100);
  }
  expect(lines(service, 'traces cannot be sent; runs continue without them')).toHaveLength(1);
  const back = otlpReceiver(undefined, Number(new URL(receiver.url).port));
  opened.push(back.close);
  await chat(service);
  await back.span('POST /api/v1/chat');
  await until(() => lines(service, 'traces are sent again').length === 1, 20_000);
  await back.close();
  await chat(service);
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('spans are sent at SIGTERM, and an endpoint that never answers delays the exit only briefly', async () => {
  const receiver = otlpReceiver(() => new Promise<Response>(() => {}));
  opened.push(receiver.close);
  const delay = { OTEL_BSP_SCHEDULE_DELAY: '600000' };
  const service = await serve('silent', { ...delay, SERVICE_TELEMETRY__OTLP_ENDPOINT: receiver.url });
  expect((await chat(service)).status).toBe(200);
  expect(receiver.requests).toEqual([]);
  const began = performance.now();
  service.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(performance.now() - began).toBeLessThan(15_000);
  expect(receiver.requests).toHaveLength(1);
});

test('OpenTelemetry is loaded only if an endpoint is set', async () => {
  const preload = join(root, 'told.ts');
  await Bun.write(
    preload,
    `Bun.plugin({ name: 'told', setup: (build) => void build.onLoad({ filter: /opentelemetry.sdk-trace.dist.index/ }, async ({ path }) => {
      console.error('the SDK is loaded'); return { contents: await Bun.file(path).text(), loader: 'js' }; }) });`,
  );
  const without = await serve('without', {}, preload);
  expect((await chat(without)).status).toBe(200);
  expect(without.output()).not.toContain('the SDK is loaded');
  const env = { SERVICE_TELEMETRY__OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const within = await serve('within', env, preload);
  expect(within.output()).toContain('the SDK is loaded');
  const off = await serve('off', { ...env, OTEL_SDK_DISABLED: 'true' }, preload);
  expect(off.output()).not.toContain('the SDK is loaded');
});

test('the access log has a line for each request, without its query, and a stream at its end', async () => {
  const message = 'request answered';
  const users =
    'web_configuration: {authentication: {enable: true, enable_global_middleware: true, username: ana}}';
  await Bun.write(join(root, 'access', 'config.yml'), `${users}\ntelemetry: {access_log: true}`);
  const password = { SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD: 'a-password' };
  const secret = { SERVICE_WEB_CONFIGURATION__AUTHENTICATION__JWT_SECRET_KEY: 'x'.repeat(40) };
  const service = await serve('access', { ...password, ...secret });
  const authorization = `Basic ${Buffer.from('ana:a-password').toString('base64')}`;
  const answer = await chat(service, {}, { authorization, 'x-request-id': 'mine' });
  const body = await answer.text();
  await until(() => lines(service, message).length === 1);
  expect(lines(service, message)[0]).toMatchObject({
    level: 30,
    method: 'POST',
    route: '/api/v1/chat',
    path: '/api/v1/chat',
    status: 200,
    milliseconds: expect.any(Number),
    caller: 'user:ana',
    request_id: 'mine',
    bytes: Buffer.byteLength(body),
  });
  expect((await fetch(`${service.url}/api/v1/threads/some-thread`)).status).toBe(401);
  await until(() => lines(service, message).length === 2);
  expect(lines(service, message)[1]).toMatchObject({
    ...{ method: 'GET', route: '/api/v1/threads/:thread_id', path: '/api/v1/threads/some-thread' },
    ...{ status: 401, caller: null },
  });
  const stream = await chat(service, { stream: true }, { authorization });
  const events = await stream.text();
  await until(() => lines(service, message).length === 3);
  expect(lines(service, message)[2]).toMatchObject({
    ...{ status: 200, caller: 'user:ana', bytes: Buffer.byteLength(events) },
  });
  expect(service.output()).not.toContain('secret-in-the-query');
});

test('without the setting, no access log is written', async () => {
  const service = await serve('no-access', {});
  await chat(service);
  await fetch(`${service.url}/livez`);
  expect(lines(service, 'request answered')).toEqual([]);
});

/** The traces of turns, as an OTLP endpoint receives them. */
import { afterEach, expect, test } from 'bun:test';
import { otlpReceiver, type ReceivedSpan, SEND_IMMEDIATELY } from '../../support/otlp-receiver.ts';
import { classifying, scriptedProvider, USAGE } from '../../support/provider.ts';
import { providerEnv, type TestOptions, testService } from '../../support/service.ts';
import { until } from '../support/until.ts';

const PROMPT = 'The pedal of my bicycle broke.';
const ANSWER = 'Stop using it and send a photo.';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
});

async function traced({ env, ...options }: TestOptions = {}, script = classifying(ANSWER)) {
  const receiver = otlpReceiver();
  const provider = scriptedProvider(script);
  const endpoint = { SERVICE_TELEMETRY__OTLP_ENDPOINT: receiver.url };
  const service = await testService({
    ...options,
    env: { ...providerEnv(provider.url), ...endpoint, ...SEND_IMMEDIATELY, ...env },
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= service.close();
    return closed;
  };
  opened.push(receiver.close, provider.close, close);
  return { receiver, provider, service, close };
}

/** The names from the root to the span. */
function pathTo(span: ReceivedSpan, spans: ReceivedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent ? pathTo(parent, spans) : []), span.name];
}

test("a turn is one trace, from the caller's span to the provider's request", async () => {
  const { receiver, provider, service } = await traced();
  const context = { traceparent: `00-${TRACE}-${CALLER}-01` };
  const { body, headers } = await service.chat({ user_prompt: PROMPT }, context);
  const request = await receiver.span('POST /api/v1/chat');
  const { spans } = receiver;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  expect(request.parentSpanId).toBe(CALLER);
  expect(headers.get('traceparent')).toBe(`00-${TRACE}-${request.spanId}-01`);
  expect(request).toMatchObject({
    kind: 2,
    status: 0,
    scope: 'skein',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/chat',
      'http.response.status_code': 200,
      'url.path': '/api/v1/chat',
      'skein.request.id': headers.get('x-request-id'),
    },
    resource: { 'service.name': 'skein', 'telemetry.sdk.name': 'opentelemetry' },
  });
  const run = await receiver.span('invoke_workflow classification-agent');
  expect(run).toMatchObject({
    kind: 1,
    parentSpanId: request.spanId,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.agent.name': 'classification-agent',
      'gen_ai.workflow.name': 'classification-agent',
      'gen_ai.conversation.id': body.thread_id,
      'gen_ai.usage.input_tokens': 2 * USAGE.prompt_tokens,
      'gen_ai.usage.output_tokens': 2 * USAGE.completion_tokens,
      'skein.run.id': body.run_id,
      'skein.run.status': 'succeeded',
      'user.id': 'anonymous',
    },
  });
  const calls = spans.filter(({ name }) => name === 'chat test-model');
  expect(calls.map((call) => pathTo(call, spans))).toEqual([
    [request.name, run.name, 'invoke_agent classification_agent', 'chat test-model'],
    [request.name, run.name, 'invoke_agent support_responder', 'chat test-model'],
  ]);
  expect(calls[1]).toMatchObject({
    kind: 3,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'test-model',
      'gen_ai.response.model': 'test-model',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': USAGE.prompt_tokens,
      'gen_ai.usage.output_tokens': USAGE.completion_tokens,
      'gen_ai.conversation.id': body.thread_id,
      'gen_ai.output.type': 'text',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(provider.url).port),
    },
  });
  const sent = provider.headers.map((one) => one.get('traceparent'));
  expect(sent).toEqual(calls.map(({ spanId }) => `00-${TRACE}-${spanId}-01`));
  expect(receiver.text()).not.toContain('pedal');
  expect(receiver.text()).not.toContain('photo');
});

test('prompts and answers are only in the spans with capture_content', async () => {
  const { receiver, service } = await traced({ env: { SERVICE_TELEMETRY__CAPTURE_CONTENT: 'true' } });
  await service.chat({ user_prompt: PROMPT });
  const run = await receiver.span('invoke_workflow classification-agent');
  expect(JSON.parse(String(run.attributes['gen_ai.input.messages']))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: PROMPT }] },
  ]);
  expect(String(run.attributes['gen_ai.output.messages'])).toContain(ANSWER);
  const call = await receiver.span(
    ({ attributes }) => attributes['skein.task'] === 'answer' && 'gen_ai.output.messages' in attributes,
  );
  expect(String(call.attributes['gen_ai.input.messages'])).toContain(PROMPT);
  expect(JSON.parse(String(call.attributes['gen_ai.output.messages']))).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: ANSWER }], finish_reason: 'stop' },
  ]);
});

test('each span of a failure has its code, without its message', async () => {
  const script = () => Response.json({ error: { message: `no ${PROMPT}` } }, { status: 400 });
  const { receiver, service } = await traced({}, script);
  expect((await service.chat({ user_prompt: PROMPT })).status).toBe(500);
  await receiver.span('POST /api/v1/chat');
  for (const name of ['invoke_workflow classification-agent', 'chat test-model']) {
    const { status, attributes } = await receiver.span(name);
    expect({ status, type: attributes['error.type'] }).toEqual({ status: 2, type: 'MODEL_CALL_FAILED' });
  }
  expect(await receiver.span('POST /api/v1/chat')).toMatchObject({
    status: 2,
    attributes: { 'error.type': '500', 'http.response.status_code': 500 },
  });
  expect(receiver.text()).not.toContain('pedal');
});

test('a rejected request is not an error of the service, and a path without a route has no route', async () => {
  const { receiver, service } = await traced();
  await service.fetch('/api/v1/threads/secret-thread-name');
  await service.fetch('/nothing/here');
  const unknown = await receiver.span(({ attributes }) => attributes['http.route'] !== undefined);
  expect(unknown).toMatchObject({ name: 'GET /api/v1/threads/:thread_id', status: 0 });
  const none = await receiver.span(({ attributes }) => attributes['url.path'] === '/nothing/here');
  expect(none).toMatchObject({ name: 'GET', status: 0 });
  expect(none.attributes).not.toHaveProperty('http.route');
});

test('probes start no trace', async () => {
  const { receiver, service } = await traced();
  for (const path of ['/livez', '/readyz', '/metrics', '/api/v1/health']) await service.fetch(path);
  await service.fetch('/livez', { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } });
  await receiver.span('GET /livez');
  expect(receiver.spans.map(({ traceId }) => traceId)).toEqual([TRACE]);
});

test('the sampling decision of the caller is respected', async () => {
  const { receiver, provider, service } = await traced();
  await service.chat({ user_prompt: PROMPT }, { traceparent: `00-${TRACE}-${CALLER}-00` });
  await service.fetch('/api/v1/threads');
  await receiver.span('GET /api/v1/threads');
  expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /api/v1/threads']);
  for (const sent of provider.headers)
    expect(sent.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-.*-00$`));
});

test('the span of a streamed response ends with the stream', async () => {
  const { receiver, service } = await traced({}, async (request, index) => {
    await Bun.sleep(50);
    return classifying(ANSWER)(request, index);
  });
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_prompt: PROMPT, conversation_flow: 'classification-agent', stream: true }),
  });
  await response.text();
  const request = await receiver.span('POST /api/v1/chat');
  const run = await receiver.span('invoke_workflow classification-agent');
  expect(request.endedAt).toBeGreaterThanOrEqual(run.endedAt - 1);
  expect(request.attributes['http.response.status_code']).toBe(200);
});

const ASKING = `
  const State = Annotation.Root({ messages: Annotation() });
  export default new StateGraph(State)
    .addNode('ask', async () => ({ messages: [new AIMessage(String(interrupt('sure?')))] }))
    .addEdge(START, 'ask').addEdge('ask', END).compile();`;

test('the run that answers a question has a link to the trace of the one that asked', async () => {
  const { receiver, service } = await traced({ graphs: { asking: ASKING } });
  const interrupted = await service.chat({ user_prompt: PROMPT, conversation_flow: 'asking' });
  expect(interrupted.body.event_type).toBe('interrupt');
  const first = await receiver.span('POST /api/v1/chat');
  const waiting = await receiver.span('invoke_workflow asking');
  expect(waiting.attributes['skein.run.status']).toBe('interrupted');
  const resumed = await service.fetch(`/api/v1/threads/${interrupted.body.thread_id}/resume`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'yes' }),
  });
  expect(resumed.status).toBe(200);
  const run = await receiver.span(({ attributes }) => 'skein.run.resumes' in attributes);
  expect(run.traceId).not.toBe(first.traceId);
  expect(run.links).toEqual([{ traceId: first.traceId, spanId: first.spanId }]);
  expect(run.attributes['skein.run.resumes']).toBe(interrupted.body.run_id);
});

const INSTRUMENTED = `
  import { trace } from '${Bun.fileURLToPath(import.meta.resolve('@opentelemetry/api'))}';
  import { chatModel } from '${import.meta.dir}/../../../graphs/skein.ts';
  const State = Annotation.Root({ messages: Annotation() });
  const work = () => trace.getTracer('mine').startActiveSpan('own work', async (span) => {
    const answer = await chatModel().invoke('hello');
    span.end();
    return { messages: [answer] };
  });
  export default new StateGraph(State).addNode('worker', work)
    .addEdge(START, 'worker').addEdge('worker', END).compile();`;

test("the spans of a graph's own instrumentation nest, and model calls nest below them", async () => {
  const { receiver, service } = await traced({ graphs: { instrumented: INSTRUMENTED } });
  await service.chat({ user_prompt: PROMPT, conversation_flow: 'instrumented' });
  await receiver.span('POST /api/v1/chat');
  const call = await receiver.span('chat test-model');
  expect(pathTo(call, receiver.spans)).toEqual([
    'POST /api/v1/chat',
    'invoke_workflow instrumented',
    'invoke_agent worker',
    'own work',
    'chat test-model',
  ]);
  expect((await receiver.span('own work')).scope).toBe('mine');
});

test('a background run and its webhook are below the request that created it', async () => {
  const hook: Headers[] = [];
  const listener = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      hook.push(request.headers);
      return new Response();
    },
  });
  opened.push(() => listener.stop(true));
  const config = 'webhooks: {allowed_hosts: ["127.0.0.1"]}';
  const { receiver, service } = await traced({ config });
  const answer = await service.fetch('/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'classification-agent',
      input: { messages: [{ role: 'user', content: PROMPT }] },
      webhook: `http://127.0.0.1:${listener.port}/`,
    }),
  });
  expect(answer.status).toBe(200);
  const request = await receiver.span('POST /runs');
  const run = await receiver.span('invoke_workflow classification-agent');
  const sent = await receiver.span('POST webhook');
  expect(run.parentSpanId).toBe(request.spanId);
  expect(sent).toMatchObject({ kind: 3, parentSpanId: request.spanId });
  await until(() => hook.length === 1);
  expect(hook[0]?.get('traceparent')).toBe(`00-${sent.traceId}-${sent.spanId}-01`);
});

test("headers, service and resource come from OpenTelemetry's variables, including those of .env", async () => {
  const { receiver, service } = await traced({
    env: {
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue,authorization=Bearer%20token',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'support-bot',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    },
  });
  await service.fetch('/api/v1/threads');
  const { resource } = await receiver.span('GET /api/v1/threads');
  expect(resource).toMatchObject({
    'service.name': 'support-bot',
    'deployment.environment.name': 'staging',
  });
  const [request] = receiver.requests;
  expect(request?.path).toBe('/v1/traces');
  expect(request?.headers.get('content-type')).toBe('application/x-protobuf');
  expect(request?.headers.get('x-tenant')).toBe('blue');
  expect(request?.headers.get('authorization')).toBe('Bearer token');
});

test('pending spans are sent when the service closes', async () => {
  const { receiver, service, close } = await traced({ env: { OTEL_BSP_SCHEDULE_DELAY: '600000' } });
  await service.fetch('/api/v1/threads');
  expect(receiver.spans).toEqual([]);
  await close();
  expect(receiver.spans.map(({ name }) => name)).toEqual(['GET /api/v1/threads']);
});

test('the span of a cancelled run has its status and no error', async () => {
  const waits = `
const State = Annotation.Root({ n: Annotation() });
export default new StateGraph(State)
  .addNode('wait', (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))))
  .addEdge(START, 'wait').compile();`;
  const { receiver, service } = await traced({ graphs: { waits } });
  const json = { 'content-type': 'application/json' };
  const thread = await service.fetch('/threads', {
    method: 'POST',
    headers: json,
    body: '{"thread_id":"t"}',
  });
  expect(thread.status).toBe(200);
  const made = await service.fetch('/threads/t/runs', {
    ...{ method: 'POST', headers: json },
    body: JSON.stringify({ assistant_id: 'waits', input: { n: 1 } }),
  });
  const { run_id } = (await made.json()) as { run_id: string };
  await until(async () => {
    const run = await service.fetch(`/api/v1/runs/${run_id}`);
    return ((await run.json()) as { status: string }).status === 'running';
  });
  await service.fetch(`/threads/t/runs/${run_id}/cancel?wait=true`, { method: 'POST', headers: json });
  const span = await receiver.span('invoke_workflow waits');
  expect(span).toMatchObject({ status: 0, attributes: { 'skein.run.status': 'cancelled' } });
});

/** GET /api/v1/runs/{run_id}/trace: a stored run as OTLP, which OpenTelemetry's own definitions decode. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadSync } from 'protobufjs';
import type { OtlpSpan } from '../../../server/runs/otlp-trace.ts';
import { runningProvider, runningService } from '../support/running.ts';

const provider = runningProvider();
const service = runningService(provider);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const definition = loadSync(join(import.meta.dir, '../../support/otlp-trace.proto'));

async function traceOf(headers: Record<string, string> = {}) {
  const { body } = await service.chat({ user_prompt: 'My pedal broke.' }, headers);
  const { runs } = (await (await service.fetch(`/api/v1/threads/${body.thread_id}/runs`)).json()) as {
    runs: { run_id: string }[];
  };
  const response = await service.fetch(`/api/v1/runs/${runs[0]?.run_id}/trace`);
  expect(response.status).toBe(200);
  return response.json() as Promise<{ resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] }>;
}

const spansOf = ({ resourceSpans }: Awaited<ReturnType<typeof traceOf>>) =>
  resourceSpans[0]?.scopeSpans[0]?.spans ?? [];

test('a run is a tree of its agents and model calls, with their usage', async () => {
  const spans = spansOf(await traceOf({ traceparent: `00-${TRACE}-b7ad6b7169203331-01` }));
  const nameOf = (id: string) => spans.find(({ spanId }) => spanId === id)?.name;
  expect(spans.map(({ name, parentSpanId }) => [name, nameOf(parentSpanId)])).toEqual([
    ['invoke_workflow classification-agent', undefined],
    ['invoke_agent classification_agent', 'invoke_workflow classification-agent'],
    ['chat test-model', 'invoke_agent classification_agent'],
    ['invoke_agent support_responder', 'invoke_workflow classification-agent'],
    ['chat test-model', 'invoke_agent support_responder'],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const [root] = spans;
  expect(root).toMatchObject({
    parentSpanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    kind: 1,
    status: { code: 0 },
  });
  expect(root?.attributes).toContainEqual({ key: 'gen_ai.usage.input_tokens', value: { intValue: '40' } });
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    expect(BigInt(startTimeUnixNano)).toBeGreaterThan(1_700_000_000_000_000_000n);
  }
});

test('a failed run has the error, and its trace id is the same in each export', async () => {
  provider.script = () => new Response('{"error":{"message":"no"}}', { status: 400 });
  await service.chat({ user_prompt: 'Mine too.' });
  const { runs } = (await (await service.fetch('/api/v1/runs?status=failed')).json()) as {
    runs: { run_id: string; error: { error_code: string } }[];
  };
  const path = `/api/v1/runs/${runs[0]?.run_id}/trace`;
  const trace = (await (await service.fetch(path)).json()) as Awaited<ReturnType<typeof traceOf>>;
  expect(spansOf(trace)[0]?.status).toEqual({ code: 2, message: runs[0]?.error.error_code ?? '' });
  expect(await (await service.fetch(path)).json()).toEqual(trace);
});

test('the result is valid OTLP', async () => {
  const trace = await traceOf();
  const request = definition.lookupType('ExportTraceServiceRequest');
  // OTLP's JSON has ids in hex, protobuf's own JSON in base64.
  const packed = JSON.parse(JSON.stringify(trace), (key, value) =>
    /Id$/.test(key) && typeof value === 'string' ? Buffer.from(value, 'hex').toString('base64') : value,
  );
  const encoded = request.encode(request.fromObject(packed)).finish();
  const decoded = request.toObject(request.decode(encoded), { longs: String, bytes: String, enums: Number });
  const names = (spans: { name: string }[]) => spans.map(({ name }) => name);
  expect(names(decoded.resourceSpans[0].scopeSpans[0].spans)).toEqual(names(spansOf(trace)));
});

test('an unknown run is not found', async () => {
  expect((await service.fetch('/api/v1/runs/none/trace')).status).toBe(404);
});

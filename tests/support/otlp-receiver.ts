/** An OTLP/HTTP endpoint on a real socket that decodes received traces. */
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadSync } from 'protobufjs';
import { until } from '../server/support/until.ts';

export interface ReceivedSpan {
  name: string;
  /** OpenTelemetry's numbers: 1 internal, 2 server, 3 client, 4 producer. */
  kind: number;
  traceId: string;
  spanId: string;
  /** Empty at the root. */
  parentSpanId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  /** 0 unset, 1 ok, 2 error. */
  status: number;
  statusMessage: string;
  scope: string;
  resource: Record<string, unknown>;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  requests: { path: string; headers: Headers }[];
  /** All received names and attribute values as one text. */
  text(): string;
  /** Waits for a matching span. */
  span(fits: string | ((span: ReceivedSpan) => boolean)): Promise<ReceivedSpan>;
  close(): Promise<void>;
}

const request = loadSync(join(import.meta.dir, 'otlp-trace.proto')).lookupType('ExportTraceServiceRequest');

/** `answer` replaces the response to each request. */
export function otlpReceiver(answer?: () => Response | Promise<Response>, port = 0): OtlpReceiver {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 0,
    async fetch(request) {
      requests.push({ path: new URL(request.url).pathname, headers: request.headers });
      const body = new Uint8Array(await request.arrayBuffer());
      if (answer) return answer();
      const isPacked = request.headers.get('content-encoding') === 'gzip';
      spans.push(...decoded(isPacked ? gunzipSync(body) : body));
      return new Response(null, { headers: { 'content-type': 'application/x-protobuf' } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    requests,
    text: () => JSON.stringify(spans),
    async span(fits) {
      const find = () => spans.find((one) => (typeof fits === 'string' ? one.name === fits : fits(one)));
      await until(() => find() !== undefined, 15_000);
      const found = find();
      if (!found) throw new Error('the span has gone');
      return found;
    },
    close: () => server.stop(true),
  };
}

/** Environment variables with which spans are sent immediately. */
export const SEND_IMMEDIATELY = { OTEL_BSP_SCHEDULE_DELAY: '20' };

function decoded(body: Uint8Array): ReceivedSpan[] {
  // Camel-case names, 64-bit numbers as text, and defaults for missing fields.
  const plain = request.toObject(request.decode(body), { longs: String, defaults: true, arrays: true });
  return (plain as Wire).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, ...span }) => ({
        ...{ name: span.name, kind: span.kind },
        ...{ traceId: hex(span.traceId), spanId: hex(span.spanId), parentSpanId: hex(span.parentSpanId) },
        ...{ startedAt: milliseconds(startTimeUnixNano), endedAt: milliseconds(endTimeUnixNano) },
        attributes: attributesOf(span.attributes),
        links: span.links.map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
        status: span.status?.code ?? 0,
        statusMessage: span.status?.message ?? '',
        scope: scope?.name ?? '',
        resource: attributesOf(resource?.attributes ?? []),
      })),
    ),
  );
}

interface Wire {
  resourceSpans: { resource: { attributes: KeyValue[] } | null; scopeSpans: ScopeSpans[] }[];
}

interface ScopeSpans {
  scope: { name: string } | null;
  spans: {
    traceId: Uint8Array;
    spanId: Uint8Array;
    parentSpanId: Uint8Array;
    name: string;
    kind: number;
    startTimeUnixNano: string;
    endTimeUnixNano: string;
    attributes: KeyValue[];
    links: { traceId: Uint8Array; spanId: Uint8Array }[];
    status: { code: number; message: string } | null;
  }[];
}

interface KeyValue {
  key: string;
  value: AnyValue | null;
}

interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  /** As text, because it has 64 bits. */
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: AnyValue[] };
}

function attributesOf(values: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(values.map(({ key, value }) => [key, plainValue(value ?? {})]));
}

function plainValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): unknown {
  if (arrayValue) return arrayValue.values.map(plainValue);
  return intValue === undefined ? (stringValue ?? boolValue ?? doubleValue) : Number(intValue);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function milliseconds(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000_000n);
}

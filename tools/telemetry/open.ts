/** Opens the exporter of traces to an OTLP endpoint. Imported only if an endpoint is configured, because it loads OpenTelemetry. */

import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { type ExportLog, reportingExporter } from './reporting-exporter.ts';
import { samplerOf } from './sampler.ts';
import { spansOf } from './spans.ts';
import type { Tracing } from './tracing.ts';

export interface TracingOptions {
  /** The base address, as in OTEL_EXPORTER_OTLP_ENDPOINT, or the complete address for traces. */
  endpoint: string;
  captureContent: boolean;
  version: string;
  log: ExportLog;
  /** The process's environment variables. Headers, timeouts and other options are OpenTelemetry's own variables. */
  environment: Readonly<Record<string, string | undefined>>;
}

const NAME = 'skein';

/** Registers as the process's tracer if there is none, so that spans of other instrumentation are exported, too. */
export function openTracing(options: TracingOptions): Tracing {
  const { endpoint, captureContent, version, log, environment } = options;
  const exporter = reportingExporter(new OTLPTraceExporter({ url: tracesUrl(endpoint) }), log);
  const ofService = resourceFromAttributes({
    'service.name': NAME,
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(ofService)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(environment),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batching(environment) })],
  });
  const isOurs = trace.setGlobalTracerProvider(provider);
  const manager = new AsyncLocalStorageContextManager().enable();
  const managesContext = context.setGlobalContextManager(manager);
  const spans = spansOf(provider.getTracer(NAME, version), { content: captureContent });
  return {
    ...spans,
    async close(milliseconds) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, milliseconds);
      await Promise.race([provider.shutdown().catch(() => {}), late.promise]);
      clearTimeout(timer);
      if (isOurs) trace.disable();
      if (managesContext) context.disable();
    },
  };
}

const TRACES = '/v1/traces';

function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith(TRACES) ? base : base + TRACES;
}

/** The SDK leaves reading these variables to the application. */
function batching(environment: TracingOptions['environment']) {
  const number = (name: string) => {
    const value = Number(environment[name]);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  return {
    ...defined('scheduledDelayMillis', number('OTEL_BSP_SCHEDULE_DELAY')),
    ...defined('maxQueueSize', number('OTEL_BSP_MAX_QUEUE_SIZE')),
    ...defined('maxExportBatchSize', number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE')),
    ...defined('exportTimeoutMillis', number('OTEL_BSP_EXPORT_TIMEOUT')),
  };
}

function defined<Name extends string>(name: Name, value: number | undefined) {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, number>);
}

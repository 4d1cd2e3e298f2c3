/** An exporter that logs its first failure, and later failures only if it has worked in between. */
import type { SpanExporter } from '@opentelemetry/sdk-trace';

export interface ExportLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

// ExportResultCode of @opentelemetry/core, which this project doesn't depend on.
const SUCCESS = 0;

/** Spans that cannot be sent are lost, because buffering them would take memory that runs need. */
export function reportingExporter(exporter: SpanExporter, log: ExportLog): SpanExporter {
  let isAway = false;

  function report({ code, error }: Result): void {
    const fails = code !== SUCCESS;
    if (fails && !isAway)
      log.warn({ reason: reasonOf(error) }, 'traces cannot be sent; runs continue without them');
    if (!fails && isAway) log.info({}, 'traces are sent again');
    isAway = fails;
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        report(result);
        // The failure has already been logged. The processor would log it for every batch.
        done({ code: SUCCESS });
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The reason without the endpoint's response, and without its address, which may contain a key. */
function reasonOf(error: Error | undefined): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'number') return `the endpoint responds with status ${code}`;
  return typeof code === 'string' ? code : (error?.name ?? 'unknown reason');
}

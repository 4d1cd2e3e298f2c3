/** An exporter whose failures are logged once, and again only after it has worked in between. */
import type { SpanExporter } from '@opentelemetry/sdk-trace';

export interface ExportLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0];

// ExportResultCode of @opentelemetry/core, which is not a dependency of ours.
const SUCCESS = 0;

/** What it could not send is lost: a trace is worth no memory that runs need. */
export function reportingExporter(exporter: SpanExporter, log: ExportLog): SpanExporter {
  let isAway = false;

  function report({ code, error }: Result): void {
    const fails = code !== SUCCESS;
    if (fails && !isAway)
      log.warn({ reason: reasonOf(error) }, 'traces cannot be sent; runs go on without them');
    if (!fails && isAway) log.info({}, 'traces are sent again');
    isAway = fails;
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        report(result);
        // The failure is reported; the processor would report it another time for every batch.
        done({ code: SUCCESS });
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Without the text of the endpoint's answer, and without its address, which may have a key in it. */
function reasonOf(error: Error | undefined): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code === 'number') return `the endpoint answers with status ${code}`;
  return typeof code === 'string' ? code : (error?.name ?? 'unknown reason');
}

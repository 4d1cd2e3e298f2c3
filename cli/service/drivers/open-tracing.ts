/** Opens tracing if the settings name an endpoint. */
import type { Logger } from 'pino';
import type { Settings } from '../../../settings/schema.ts';
import { configurationError } from '../../../state/errors.ts';
import type { Tracing } from '../../../tools/telemetry/tracing.ts';

/** Loads OpenTelemetry only if an endpoint is set. Throws CONFIGURATION_ERROR. */
export async function configuredTracing(
  { telemetry }: Pick<Settings, 'telemetry'>,
  { log, version }: { log: Logger; version: string },
): Promise<Tracing | undefined> {
  const { otlp_endpoint: endpoint, capture_content: captureContent } = telemetry;
  const { env } = process;
  if (endpoint === undefined || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  if (!URL.canParse(endpoint))
    throw configurationError('telemetry.otlp_endpoint', 'expected an http or https URL');
  const { openTracing } = await import('../../../tools/telemetry/open.ts');
  return openTracing({ endpoint, captureContent, version, log, environment: env });
}

/** The `telemetry` block: what is logged, how, and where traces go. */
import { type Static, Type } from '@sinclair/typebox';

export const TelemetryOptions = Type.Object(
  {
    log_level: Type.Union(
      [
        Type.Literal('trace'),
        Type.Literal('debug'),
        Type.Literal('info'),
        Type.Literal('warn'),
        Type.Literal('error'),
        Type.Literal('fatal'),
        Type.Literal('silent'),
      ],
      { default: 'info', description: 'The minimum level that is logged.' },
    ),
    log_format: Type.Union([Type.Literal('json'), Type.Literal('pretty')], {
      default: 'json',
      description: 'One JSON object per line, or human-readable lines.',
    }),
    otlp_endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://\\S+$',
        expected: 'an http or https URL',
        description: 'The OTLP/HTTP endpoint that traces are sent to.',
      }),
    ),
    capture_content: Type.Boolean({
      default: false,
      description: 'Puts prompts, answers, SQL and rows into traces; they may contain personal data.',
    }),
    access_log: Type.Boolean({ default: false, description: 'Logs a line for each request.' }),
  },
  { additionalProperties: false, default: {}, description: 'Logs and traces.' },
);

export type TelemetryOptions = Static<typeof TelemetryOptions>;

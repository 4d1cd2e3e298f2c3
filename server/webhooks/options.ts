/** The `webhooks` settings: allowed hosts, the signing secret and the timeout. */
import { type Static, Type } from '@sinclair/typebox';

export const WebhookOptions = Type.Object(
  {
    allowed_hosts: Type.Array(
      Type.String({
        pattern: '^([A-Za-z0-9._-]+|\\[?[0-9a-fA-F:.]+\\]?)$',
        expected: 'a host such as hooks.example.org or 10.0.0.5, without a scheme, a port or a path',
        description: 'A host name or address.',
      }),
      {
        default: [],
        description:
          'The only hosts that webhooks may use, including private ones. Empty allows every public host.',
      },
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'The key that signs webhooks. Unsigned if unset.',
      }),
    ),
    timeout_seconds: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      maximum: 600,
      description: 'The timeout of a delivery, in seconds.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'Webhooks, which are sent when runs end.' },
);

export type WebhookOptions = Static<typeof WebhookOptions>;

/** The `webhooks` block: where the ends of runs may be sent, and how they are signed. */
import { type Static, Type } from '@sinclair/typebox';

export const WebhookOptions = Type.Object(
  {
    allowed_hosts: Type.Array(
      Type.String({
        pattern: '^([A-Za-z0-9._-]+|\\[?[0-9a-fA-F:.]+\\]?)$',
        expected: 'a host such as hooks.example.org or 10.0.0.5, without a scheme, a port or a path',
        description: 'One host, by name or address.',
      }),
      {
        default: [],
        description: 'The only hosts that webhooks may name, private ones too; empty: every public host.',
      },
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'Signs what is sent; unset: it is not signed.',
      }),
    ),
    timeout_seconds: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      maximum: 600,
      description: 'Seconds that the other side may take to answer.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'What is sent when runs end.' },
);

export type WebhookOptions = Static<typeof WebhookOptions>;

/** The `a2a` block: what agents of other programs are told first. */
import { type Static, Type } from '@sinclair/typebox';

export const A2AOptions = Type.Object(
  {
    default: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The workflow whose agent card is at /.well-known/agent-card.json; unset: the only one.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'The workflows as agents for other agents.' },
);
export type A2AOptions = Static<typeof A2AOptions>;

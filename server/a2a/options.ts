/** The `a2a` block of the settings: which agent is the default. */
import { type Static, Type } from '@sinclair/typebox';

export const A2AOptions = Type.Object(
  {
    default: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The workflow whose agent card is at /.well-known/agent-card.json. If unset and there is only one workflow, it is the default.',
      }),
    ),
  },
  {
    additionalProperties: false,
    default: {},
    description: 'The A2A protocol, which offers the workflows to other agents.',
  },
);
export type A2AOptions = Static<typeof A2AOptions>;

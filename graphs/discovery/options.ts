/**
 * The `langgraph` block: which langgraph.json to read, and whether to serve its graphs even though it has `auth`, which is not
 * supported.
 */
import { type Static, Type } from '@sinclair/typebox';

export const LangGraphOptions = Type.Object(
  {
    config: Type.Optional(
      Type.String({
        minLength: 1,
        path: true,
        description: 'The langgraph.json to read; unset: the one next to config.yml, if it exists.',
      }),
    ),
    ignore_auth: Type.Boolean({
      default: false,
      description: 'Serves the graphs of a langgraph.json that has `auth`, without running its `auth`.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'The graphs of a langgraph.json.' },
);

export type LangGraphOptions = Static<typeof LangGraphOptions>;

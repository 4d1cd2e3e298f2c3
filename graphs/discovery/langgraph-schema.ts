/** The schema of the supported part of langgraph.json. `known-keys.ts` lists the other keys of the LangGraph CLI. */
import { type Static, Type } from '@sinclair/typebox';

/** A path, then a colon and the export. */
const REFERENCE = '^[^:]+(:[^:]*)?$';

const GraphEntry = Type.Union(
  [
    Type.String({ pattern: REFERENCE }),
    Type.Object({
      path: Type.String({ pattern: REFERENCE }),
      description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ],
  { expected: '"./file.ts:export" or {path, description}' },
);

const Minutes = Type.Number({ exclusiveMinimum: 0 });

export const StoreConfig = Type.Object({
  index: Type.Optional(
    Type.Object({
      dims: Type.Integer({ minimum: 1 }),
      embed: Type.String({ minLength: 1 }),
      fields: Type.Optional(Type.Array(Type.String())),
    }),
  ),
  ttl: Type.Optional(
    Type.Object({
      default_ttl: Type.Optional(Minutes),
      refresh_on_read: Type.Optional(Type.Boolean()),
      sweep_interval_minutes: Type.Optional(Minutes),
    }),
  ),
});

export const CheckpointerConfig = Type.Object({
  ttl: Type.Optional(
    Type.Object({
      strategy: Type.Optional(Type.Union([Type.Literal('delete'), Type.Literal('keep_latest')])),
      default_ttl: Type.Optional(Minutes),
      sweep_interval_minutes: Type.Optional(Minutes),
    }),
  ),
});

const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' });
const expectedName = 'a name of 1 to 64 letters, digits, hyphens and underscores, a letter or digit first';

export const LangGraphFile = Type.Object({
  graphs: Type.Record(Name, GraphEntry, {
    ...{ additionalProperties: false, expectedName },
    expected: 'a mapping of names to graphs',
  }),
  ui: Type.Optional(
    Type.Record(Name, Type.String({ minLength: 1, expected: '"./ui.tsx"' }), {
      ...{ additionalProperties: false, expectedName },
      expected: 'a mapping of names to files of components',
    }),
  ),
  ui_config: Type.Optional(Type.Object({ shared: Type.Optional(Type.Array(Type.String({ minLength: 1 }))) })),
  store: Type.Optional(StoreConfig),
  checkpointer: Type.Optional(CheckpointerConfig),
  http: Type.Optional(
    Type.Object({
      app: Type.Optional(Type.String({ pattern: REFERENCE, expected: '"./file.ts:export"' })),
    }),
  ),
  auth: Type.Optional(Type.Object({})),
});

export type LangGraphFile = Static<typeof LangGraphFile>;

const NAME = { pattern: '^[^=\\u0000]+$' };

/** The three forms of `env`: variables with their values, names alone, and the name of a file. */
export const EnvMap = Type.Record(Type.String(NAME), Type.String(), {
  additionalProperties: false,
  expectedName: 'the name of a variable',
});
export const EnvNames = Type.Array(Type.String(NAME));
export const EnvFile = Type.String({
  minLength: 1,
  expected: 'the name of a file or a mapping of variables',
});

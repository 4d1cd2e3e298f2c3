/** An entry of `models`: a chat or embedding model, and how to call its provider. */
import { type Static, Type } from '@sinclair/typebox';

const PriceOptions = Type.Object(
  {
    input: Type.Number({ minimum: 0, description: 'Price of a million input tokens.' }),
    output: Type.Number({ minimum: 0, description: 'Price of a million output tokens.' }),
    cached_input: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "Price of a million input tokens from the provider's cache; unset: that of input.",
      }),
    ),
  },
  { additionalProperties: false, description: 'Price per million tokens, for costs and budgets.' },
);

export type Price = Static<typeof PriceOptions>;

export const ModelOptions = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'The name of the model at the provider.' }),
    role: Type.Union([Type.Literal('chat'), Type.Literal('embedding')], {
      default: 'chat',
      description: "What the model is used for; the first entry of a role is that role's default.",
    }),
    api_key: Type.Optional(Type.String({ minLength: 1, secret: true, description: "The provider's key." })),
    base_url: Type.Optional(
      Type.String({
        pattern: '^https?://\\S+$',
        expected: 'an http or https URL',
        description: "The provider's OpenAI-compatible endpoint.",
      }),
    ),
    temperature: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 2,
        description: "Sampling temperature; unset: the provider's own.",
      }),
    ),
    timeout_seconds: Type.Number({
      default: 60,
      exclusiveMinimum: 0,
      maximum: 3600,
      description: 'Timeout of a call, in seconds.',
    }),
    max_retries: Type.Integer({
      default: 2,
      minimum: 0,
      maximum: 10,
      description: 'Maximum number of retries of a failed call.',
    }),
    structured_output: Type.Union(
      [Type.Literal('auto'), Type.Literal('json_schema'), Type.Literal('tool'), Type.Literal('json')],
      {
        default: 'auto',
        description: 'How structured output is requested; auto detects what the provider supports.',
      },
    ),
    fallbacks: Type.Array(Type.String({ minLength: 1, description: 'The name of another listed model.' }), {
      default: [],
      description: 'Models tried in this order when this one fails.',
    }),
    price: Type.Optional(PriceOptions),
  },
  { additionalProperties: false, description: 'One model.' },
);

export type ModelOptions = Static<typeof ModelOptions>;

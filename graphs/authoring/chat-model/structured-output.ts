/** Structured output: the requested shape, and the conversion of the resulting value. */
import type { BaseMessage } from '@langchain/core/messages';
import { toJsonSchema, Validator } from '@langchain/core/utils/json_schema';
import type { TSchema } from '@sinclair/typebox';
import { SkeinError } from '../../../state/errors.ts';
import type { Extraction } from '../../../tools/models/structured/structured.ts';
import type { ChatModelCallOptions, ResponseFormat } from './options.ts';

/** The JSON Schema of the argument of `withStructuredOutput`: zod, Standard Schema, JSON Schema, or an OpenAI function. */
export function formatOf(schema: object, given?: string): ResponseFormat {
  const { name, parameters } = schema as { name?: unknown; parameters?: unknown };
  const isFunction = typeof name === 'string' && typeof parameters === 'object' && parameters !== null;
  const shape = isFunction ? parameters : toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]);
  const { title } = shape as { title?: unknown };
  const called = given ?? (isFunction ? name : typeof title === 'string' ? title : 'extract');
  const safe = called.replace(/[^\w-]/g, '_').slice(0, 64);
  return { type: 'json_schema', json_schema: { name: safe, schema: shape } };
}

/** Undefined if the model may call a tool instead, in which case the tool choice decides. */
export function shapeOf({ response_format, tools }: ChatModelCallOptions): Extraction<TSchema> | undefined {
  const { name, schema } = response_format?.json_schema ?? {};
  if (name === undefined || !schema || tools?.length) return undefined;
  const validator = new Validator({ ...schema }, '2020-12', false);
  return {
    name,
    schema: schema as TSchema,
    complaint(value) {
      const error = validator.validate(value).errors.at(-1);
      if (!error) return undefined;
      const path = `${error.instanceLocation} ${error.error}`;
      return { path, message: `breaks '${error.keyword}' of the schema` };
    },
  };
}

/** The parsed value of an answer, from the schema's own library. Throws MODEL_CALL_FAILED if it is invalid. */
export async function parsedValue(answer: BaseMessage, schema: object, name: string): Promise<unknown> {
  const value: unknown = JSON.parse(answer.text);
  const checked = await standardOf(schema)?.validate(value);
  if (!checked) return value;
  if (!checked.issues) return checked.value;
  throw new SkeinError('MODEL_CALL_FAILED', {
    detail: `No answer of the shape '${name}': its schema rejects ${checked.issues.length} of its values`,
  });
}

interface Standard {
  validate(value: unknown): Checked | Promise<Checked>;
}

type Checked = { value: unknown; issues?: undefined } | { issues: readonly unknown[] };

/** https://standardschema.dev, which zod implements as well. */
function standardOf(schema: object): Standard | undefined {
  return (schema as { '~standard'?: Standard })['~standard'];
}

/** Prompts that are JSON documents: read, and checked against a schema, with errors that say where. */
import type { Static, TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import { SkeinError } from '../../state/errors.ts';
import { expected } from '../../state/schema/expected.ts';
import { childPath, childSchema } from '../../state/schema/walk-schema.ts';
import { firstWrong } from './first-wrong.ts';
import { textPlace } from './text-place.ts';

/**
 * The document in a text. Throws INVALID_WORKFLOW_INPUT: for what is not JSON the message is `Expecting value: line L
 * column C (char N)`, for what does not fit the schema `detail` names the path; no value is ever said. Of duplicate keys
 * the last wins; fields that the schema does not name stay.
 */
export function readJson<T extends TSchema>(text: string, schema: T): Static<T> {
  const value = parse(text);
  if (Value.Check(schema, value)) return value;
  const error = Value.Errors(schema, value).First();
  throw error ? misfit(error, schema) : new SkeinError('INVALID_WORKFLOW_INPUT');
}

/** Looks first: for a text that is deeply nested and breaks off, the engine's own parser takes five times as long. */
function parse(text: string): unknown {
  const wrong = firstWrong(text);
  if (wrong === undefined) return JSON.parse(text);
  throw new SkeinError('INVALID_WORKFLOW_INPUT', { message: `Expecting value: ${textPlace(text, wrong)}` });
}

function misfit({ path: pointer, type, schema: broken }: ValueError, root: TSchema): SkeinError {
  let path = '';
  let schema: TSchema | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const step: string | number = schema?.type === 'array' ? Number(part) : part;
    path = childPath(path, step);
    schema = childSchema(schema, step);
  }
  const missing = type === ValueErrorType.ObjectRequiredProperty ? 'missing, ' : '';
  return new SkeinError('INVALID_WORKFLOW_INPUT', {
    detail: `${path || 'user_prompt'}: ${missing}expected ${expected(broken)}`,
  });
}

/** Reads prompts that are JSON documents and checks them against a schema; errors name the place. */
import type { Static, TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import { SkeinError } from '../../state/errors.ts';
import { expected } from '../../state/schema/expected.ts';
import { childPath, childSchema } from '../../state/schema/walk-schema.ts';
import { firstWrong } from './first-wrong.ts';
import { textPosition } from './text-position.ts';

/**
 * Returns the document in a text. Throws INVALID_WORKFLOW_INPUT: for invalid JSON the message is `Expecting value: line L
 * column C (char N)`, for a schema error `detail` names the path. Errors never quote values. If a key is repeated, the last
 * value counts. Fields that the schema does not name are kept.
 */
export function readJson<T extends TSchema>(text: string, schema: T): Static<T> {
  const value = parse(text);
  if (Value.Check(schema, value)) return value;
  const error = Value.Errors(schema, value).First();
  throw error ? misfit(error, schema) : new SkeinError('INVALID_WORKFLOW_INPUT');
}

/** Checks the syntax first, because the engine's own parser takes five times as long for deeply nested text that is cut off. */
function parse(text: string): unknown {
  const wrong = firstWrong(text);
  if (wrong === undefined) return JSON.parse(text);
  throw new SkeinError('INVALID_WORKFLOW_INPUT', {
    message: `Expecting value: ${textPosition(text, wrong)}`,
  });
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

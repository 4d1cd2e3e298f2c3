/** Creates INVALID_REQUEST from a schema violation. The error names the field and the rule, never the value. */
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { SkeinError } from '../../../state/errors.ts';

/** The error names `part` (such as `body`) if the violation is not in a field. */
export function invalidRequest(part: string, first: ValueError | undefined, cause?: unknown): SkeinError {
  const path = (first?.path ?? '').split('/').filter(Boolean).join('.');
  const missing = first?.type === ValueErrorType.ObjectRequiredProperty;
  const fallback = missing ? 'required (any JSON value)' : 'invalid';
  const rule = (first?.schema.error as string | undefined) ?? ruleOf(first?.schema) ?? fallback;
  return new SkeinError('INVALID_REQUEST', { detail: `${path || part}: ${rule}`, cause });
}

function ruleOf(schema: Record<string, unknown> | undefined): string | undefined {
  if (!schema) return undefined;
  if (typeof schema.description === 'string' && schema.pattern !== undefined)
    return `expected ${schema.description}`;
  const choices = Array.isArray(schema.anyOf)
    ? schema.anyOf.map((one) => JSON.stringify(one.const))
    : undefined;
  if (choices?.every((choice) => choice !== undefined)) return `expected one of ${choices.join(', ')}`;
  if (typeof schema.type !== 'string') return undefined;
  const bounds = (['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'] as const)
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${name} ${schema[name]}`);
  return `expected ${schema.type}${bounds.length > 0 ? ` (${bounds.join(', ')})` : ''}`;
}

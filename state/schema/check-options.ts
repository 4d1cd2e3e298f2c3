/** Validates options against their TypeBox schema and fills in defaults. Messages never contain the value. */
import type { Static, TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import { configurationError, SkeinError } from '../errors.ts';
import { convertText } from './convert-text.ts';
import { expected } from './expected.ts';
import { nearest } from './nearest.ts';
import { childPath, childSchema, isMapping } from './walk-schema.ts';

export interface Problem {
  /** Dotted path with list indexes: `models[0].temperature`. */
  path: string;
  /** What was expected. Never contains the value. */
  reason: string;
}

/** Returns the value with converted texts and defaults. Throws one CONFIGURATION_ERROR with all problems. */
export function checkOptions<T extends TSchema>(schema: T, value: unknown, path: string): Static<T> {
  const checked = inspectOptions(schema, value, path);
  if (checked.problems.length > 0) throw problemsError(checked.problems);
  return checked.value;
}

/** Like `checkOptions`, but returns the problems. `value` only has the schema's type if there are none. */
export function inspectOptions<T extends TSchema>(
  schema: T,
  value: unknown,
  path: string,
): { value: Static<T>; problems: Problem[] } {
  const forbidden = forbiddenKeys(value, path);
  if (forbidden.length > 0) return { value, problems: forbidden };
  const complete = Value.Default(schema, convertText(schema, value ?? {}));
  const byPath = new Map<string, Problem>();
  for (const error of Value.Errors(schema, complete)) {
    const problem = describe(error, schema, path);
    if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  }
  return { value: complete, problems: [...byPath.values()] };
}

/** One CONFIGURATION_ERROR for all problems, one per line. */
export function problemsError(problems: readonly Problem[]): SkeinError {
  const sentences = problems.map(({ path, reason }) => configurationError(path, reason).message);
  return new SkeinError('CONFIGURATION_ERROR', { message: sentences.join('\n') });
}

function describe(error: ValueError, root: TSchema, rootPath: string): Problem {
  const { path, parent, key } = locate(error.path, root, rootPath);
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return { path, reason: unknownKey(key, parent) };
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return { path, reason: `missing, expected ${expected(error.schema)}` };
  }
  return { path, reason: `expected ${expected(error.schema)}${hint(error)}` };
}

/** Converts TypeBox's JSON pointer to a dotted path; also returns the schema that contains the last key. */
function locate(pointer: string, root: TSchema, rootPath: string) {
  let path = rootPath;
  let parent: TSchema | undefined;
  let schema: TSchema | undefined = root;
  let key = '';
  for (const part of pointer.split('/').slice(1)) {
    key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    parent = schema;
    const step: string | number = schema?.type === 'array' ? Number(key) : key;
    schema = childSchema(parent, step);
    path = childPath(path, step);
  }
  return { path, parent, key };
}

function unknownKey(key: string, parent: TSchema | undefined): string {
  const known = Object.keys(parent?.properties ?? {});
  if (known.length === 0) return 'this name is not allowed';
  const meant = nearest(key, known);
  return meant ? `unknown key, did you mean '${meant}'?` : `unknown key, known keys are ${known.join(', ')}`;
}

function hint({ schema, value }: ValueError): string {
  if (schema.type === 'string' && ['number', 'boolean'].includes(typeof value)) return ', in quotes';
  if (schema.type === 'array' && typeof value === 'string') return ', or JSON text of one';
  if (schema.type === 'object' && typeof value === 'string') return ', or JSON text of one';
  return '';
}

const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

function forbiddenKeys(value: unknown, path: string): Problem[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => forbiddenKeys(item, childPath(path, index)));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => {
    const here = childPath(path, key);
    return FORBIDDEN.includes(key)
      ? [{ path: here, reason: 'this key is not allowed' }]
      : forbiddenKeys(field, here);
  });
}

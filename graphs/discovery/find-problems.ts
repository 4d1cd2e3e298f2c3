/** Validates the content of langgraph.json against a schema without conversion; extra keys are allowed. */
import type { TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import type { Problem } from '../../state/schema/check-options.ts';
import { expected } from '../../state/schema/expected.ts';
import { childPath, childSchema } from '../../state/schema/walk-schema.ts';

/** The first problem of every path, with dotted paths. A mapping's `expectedName` describes valid keys. */
export function findProblems(schema: TSchema, value: unknown, path = ''): Problem[] {
  const byPath = new Map<string, Problem>();
  for (const error of Value.Errors(schema, value)) {
    const problem = { path: pathOf(error.path, schema, path), reason: reasonOf(error) };
    if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  }
  return [...byPath.values()];
}

function reasonOf({ type, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return `expected ${schema.expectedName}`;
  if (type === ValueErrorType.ObjectRequiredProperty) return `missing, expected ${expected(schema)}`;
  const isText = schema.type === 'string' && schema.expected === undefined;
  const isBare = isText && ['number', 'boolean'].includes(typeof value);
  return `expected ${expected(schema)}${isBare ? ', in quotes' : ''}`;
}

/** Converts TypeBox's JSON pointer to a dotted path. */
function pathOf(pointer: string, root: TSchema, rootPath: string): string {
  let path = rootPath;
  let schema: TSchema | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const step: string | number = schema?.type === 'array' ? Number(key) : key;
    path = childPath(path, step);
    schema = childSchema(schema, step);
  }
  return path;
}

/** The value of a form: its initial value and its validation. */
import { readJson } from '../json/json-text.ts';
import { type Field, fieldOf, rootNode, type SchemaNode } from './field.ts';

/** Error messages by the path of the field: names and indexes, joined by dots. */
export type FormProblems = ReadonlyMap<string, string>;

export const NO_PROBLEMS: FormProblems = new Map();

/** JSON that is being typed and isn't valid yet. */
export class Unread {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return this.text;
  }
}

export const pathIn = (path: string, name: string | number) =>
  path === '' ? String(name) : `${path}.${name}`;

/**
 * The initial value of a field; undefined isn't sent. `around` is the list of enclosing schemas, so that the recursion stops at
 * a schema that contains itself.
 */
export function initialOf(node: SchemaNode, required: boolean, around: unknown[] = []): unknown {
  if (around.includes(node.schema)) return undefined;
  const field = fieldOf(node);
  if (field.initial !== undefined) return structuredClone(field.initial);
  if (!required) return undefined;
  if (field.nullable) return null;
  if (field.kind === 'boolean') return false;
  if (field.kind === 'list') return [];
  if (field.kind === 'choice' && field.values.length === 1) return field.values[0];
  if (field.kind !== 'object') return undefined;
  const inner = [...around, node.schema];
  const entries = field.fields.map(
    ({ name, required, node }) => [name, initialOf(node, required, inner)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

export const initialValue = (schema: unknown): unknown => initialOf(rootNode(schema), true);

/** Returns no problems for a value that can be sent. The service also validates it, with the graph's schema. */
export function problemsOf(schema: unknown, value: unknown): FormProblems {
  const problems = new Map<string, string>();
  check({ node: rootNode(schema), required: true, value, path: '' }, problems);
  return problems;
}

interface Checked {
  node: SchemaNode;
  required: boolean;
  value: unknown;
  path: string;
}

function check({ node, required, value, path }: Checked, problems: Map<string, string>): void {
  const field = fieldOf(node);
  const isMissing = value === undefined || (value === null && field.kind !== 'json' && !field.nullable);
  if (isMissing) {
    if (required || value === null)
      problems.set(path, field.kind === 'choice' ? 'Select an option.' : 'This field is required.');
    return;
  }
  if (value === null) return;
  const problem = problemOf(field, value);
  if (problem !== undefined) problems.set(path, problem);
  else if (field.kind === 'list')
    for (const [index, one] of (value as unknown[]).entries())
      check({ node: field.of, required: true, value: one, path: pathIn(path, index) }, problems);
  else if (field.kind === 'object')
    for (const { name, required, node } of field.fields) {
      const inner = (value as Record<string, unknown>)[name];
      check({ node, required, value: inner, path: pathIn(path, name) }, problems);
    }
}

function problemOf(field: Field, value: unknown): string | undefined {
  if (value instanceof Unread) return readJson(value.text).problem?.message ?? 'Must be valid JSON.';
  switch (field.kind) {
    case 'text':
      return textProblem(field, value);
    case 'number':
      return numberProblem(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Must be true or false.';
    case 'choice':
      return choiceAt(field.values, value) < 0 ? 'Must be one of the options.' : undefined;
    case 'list':
      return Array.isArray(value) ? undefined : 'Must be a list.';
    case 'object':
      return isObject(value) ? undefined : 'Must be an object: {"name": value}.';
    case 'json':
      return undefined;
  }
}

function textProblem({ shortest, longest }: Extract<Field, { kind: 'text' }>, value: unknown) {
  if (typeof value !== 'string') return 'Must be text.';
  if (value.length < shortest) return `Must have at least ${characters(shortest)}.`;
  if (longest !== undefined && value.length > longest) return `Must have at most ${characters(longest)}.`;
  return undefined;
}

function numberProblem({ isInteger, least, most }: Extract<Field, { kind: 'number' }>, value: unknown) {
  if (typeof value !== 'number') return 'Must be a number.';
  if (isInteger && !Number.isInteger(value)) return 'Must be a whole number.';
  if (least !== undefined && value < least) return `Must be at least ${least}.`;
  if (most !== undefined && value > most) return `Must be at most ${most}.`;
  return undefined;
}

const characters = (count: number) => `${count} ${count === 1 ? 'character' : 'characters'}`;

/** The index of a value among the options, which may be lists or objects; -1 if it isn't one of them. */
export function choiceAt(values: unknown[], value: unknown): number {
  return values.findIndex((one) => one === value || JSON.stringify(one) === JSON.stringify(value));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unread);
}

const REFUSED = /(?:^|; )(input|context)((?:\.[^:;]+)?): (.*?)(?=; (?:input|context)[.:]|$)/gs;

/** Maps the messages in the `detail` of a validation error from the service to the closest fields of the form. */
export function refusedFields(detail: string, name: string, schema: unknown, value: unknown): FormProblems {
  const problems = new Map<string, string>();
  for (const [, root, path = '', message = ''] of detail.matchAll(REFUSED)) {
    if (root !== name) continue;
    const at = nearest(rootNode(schema), value, path.slice(1).split('.'));
    problems.set(at, problems.has(at) ? `${problems.get(at)} ${message}` : message);
  }
  return problems;
}

function nearest(node: SchemaNode, value: unknown, names: string[], path = ''): string {
  const [name = '', ...rest] = names;
  const field = fieldOf(node);
  if (field.kind === 'object' && isObject(value)) {
    const inner = field.fields.find((one) => one.name === name);
    if (inner) return nearest(inner.node, value[name], rest, pathIn(path, name));
  }
  if (field.kind === 'list' && Array.isArray(value) && Number(name) < value.length && name !== '')
    return nearest(field.of, value[Number(name)], rest, pathIn(path, name));
  return path;
}

/** The fields of a form for a state, from the graph's schema and the current values. */
import { type JsonProblem, readJson } from '../parts/json/json-text.ts';

export interface StateField {
  name: string;
  kind: 'text' | 'number' | 'flag' | 'choice' | 'messages' | 'json';
  /** The type as text; empty if it is unknown. */
  type: string;
  /** The options of a choice. */
  choices: unknown[];
}

export interface StateMessage {
  id?: string | null;
  role: string;
  content: unknown;
  [more: string]: unknown;
}

type Values = Record<string, unknown>;
type Schema = { properties?: Record<string, Schema>; type?: unknown; enum?: unknown; anyOf?: unknown };

/** Fields for all channels of the schema and of the state. Messages come first, because they are edited most often. */
export function stateFields(values: Values, schema: unknown): StateField[] {
  const { properties = {} } = (schema ?? {}) as Schema;
  const names = [...new Set([...Object.keys(properties), ...Object.keys(values)])];
  const fields = names.map((name) => fieldOf(name, values[name], properties[name] ?? {}));
  const isMessages = ({ kind }: StateField) => kind === 'messages';
  return [...fields.filter(isMessages), ...fields.filter((field) => !isMessages(field))];
}

function fieldOf(name: string, value: unknown, schema: Schema): StateField {
  const choices = Array.isArray(schema.enum) ? schema.enum : [];
  const type = typeOf(schema);
  const field = (kind: StateField['kind']): StateField => ({ name, kind, type, choices });
  if (isMessageList(value) || (name === 'messages' && isEmpty(value))) return field('messages');
  if (choices.length > 0) return field('choice');
  const kind = KINDS[isEmpty(value) ? type : typeof value];
  return field(kind ?? 'json');
}

const KINDS: Record<string, StateField['kind'] | undefined> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'flag',
};

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The type without null. */
function typeOf({ type, anyOf }: Schema): string {
  const types = Array.isArray(anyOf) ? anyOf.map((one: Schema) => one.type) : [type].flat();
  const named = types.filter((one): one is string => typeof one === 'string' && one !== 'null');
  return [...new Set(named)].join(' | ');
}

function isMessageList(value: unknown): value is StateMessage[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one?.role === 'string' && one.content !== undefined && 'id' in one)
  );
}

/** A JSON value as text; empty for undefined. */
export function jsonText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

export type Problems = Record<string, JsonProblem>;

/** The state with the JSON texts parsed. Omits channels whose text is empty. */
export function readTyped(
  values: Values,
  typed: Record<string, string>,
): { values: Values; problems: Problems } {
  const read: Values = { ...values };
  const problems: Problems = {};
  for (const [name, text] of Object.entries(typed)) {
    if (text.trim() === '') {
      delete read[name];
      continue;
    }
    const json = readJson(text);
    if (json.problem) problems[name] = json.problem;
    else read[name] = json.value;
  }
  return { values: read, problems };
}

/** The values that differ. Omitted channels don't change. */
export function changedValues(before: Values, after: Values): Values {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

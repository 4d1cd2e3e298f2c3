/** Generates a sample input for a graph, for documentation and trials. */
import type { JsonSchema } from './graph-schemas.ts';

/** `example` if it is a JSON object; otherwise a value for each required field, or for every field. */
export function sampleInput(schema: JsonSchema = {}, example: string): unknown {
  return objectIn(example) ?? sampleOf(schema, { text: example, definitions: schema.$defs ?? {} });
}

interface Sources {
  /** The sample for any string. */
  text: string;
  definitions: object;
}

function sampleOf(schema: JsonSchema, sources: Sources, depth = 0): unknown {
  const { const: fixed, default: usual, examples, enum: values, anyOf, oneOf, type, $ref } = schema;
  if (fixed !== undefined) return fixed;
  if (usual !== undefined) return usual;
  for (const list of [examples, values]) if (Array.isArray(list) && list.length > 0) return list[0];
  // Schemas may be recursive.
  if (depth > DEEPEST) return null;
  const other = definitionOf($ref, sources.definitions) ?? firstOf(anyOf) ?? firstOf(oneOf);
  if (other) return sampleOf(other, sources, depth + 1);
  const [kind] = Array.isArray(type) ? type : [type];
  if (kind === 'object') return sampleObject(schema, sources, depth);
  if (kind === 'array') return sampleList(schema, sources, depth);
  if (kind === 'number' || kind === 'integer') return numberIn(schema);
  if (kind === 'boolean') return true;
  return kind === 'null' ? null : (TEXTS[String(schema.format)] ?? sources.text);
}

const DEEPEST = 8;

/** 1 if that is within the bounds; unbounded integers have the largest possible bounds. */
function numberIn({ minimum = 1, maximum = Number.POSITIVE_INFINITY }: JsonSchema): number {
  return Math.min(Math.max(1, Number(minimum)), Number(maximum));
}

const TEXTS: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ana@example.com',
  uri: 'https://example.com',
  uuid: '0190163d-8694-739b-aea5-966c26f8ad91',
};

function sampleObject({ properties = {}, required }: JsonSchema, sources: Sources, depth: number) {
  const fields = Object.entries(properties).filter(([name]) => required?.includes(name) ?? depth === 0);
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, sources, depth + 1)]));
}

function sampleList({ items, minItems = 0 }: JsonSchema, sources: Sources, depth: number): unknown[] {
  const one = sampleOf((items ?? {}) as JsonSchema, sources, depth + 1);
  return Array.from({ length: Math.min(Number(minItems), 3) || 1 }, () => one);
}

function definitionOf(reference: unknown, definitions: object): JsonSchema | undefined {
  const name = String(reference).split('/').at(-1) ?? '';
  return Object.hasOwn(definitions, name) ? (definitions as Record<string, JsonSchema>)[name] : undefined;
}

function firstOf(choices: unknown): JsonSchema | undefined {
  return Array.isArray(choices) ? choices[0] : undefined;
}

function objectIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

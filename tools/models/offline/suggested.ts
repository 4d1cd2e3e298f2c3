/** Fills a schema with the values that the prompt suggests for its fields. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { readSuggestions } from '../data-blocks.ts';
import type { ChatRequest } from './request.ts';

const ObjectSchema = Type.Object({ properties: Type.Record(Type.String(), Type.Unknown()) });
const TextSchema = Type.Object({
  type: Type.Literal('string'),
  enum: Type.Optional(Type.Array(Type.String())),
});

/** Returns JSON; undefined if a field has no suggestion, or one that its schema doesn't allow. */
export function suggested(request: ChatRequest): string | undefined {
  const found = request.data.map(readSuggestions).find((suggestions) => suggestions !== undefined);
  const value = found && filled(request.schema, found, []);
  return value === undefined ? undefined : JSON.stringify(value);
}

function filled(schema: unknown, suggestions: Map<string, string>, path: string[]): unknown {
  if (Value.Check(TextSchema, schema)) {
    const value = suggestions.get(path.join('.'));
    return value !== undefined && (schema.enum?.includes(value) ?? true) ? value : undefined;
  }
  if (!Value.Check(ObjectSchema, schema)) return undefined;
  const entries = Object.entries(schema.properties).map(
    ([name, part]) => [name, filled(part, suggestions, [...path, name])] as const,
  );
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

/** Converts a route's schemas to an OpenAPI operation: its parameters, its body and its responses by status. */
import type { InternalRoute } from 'elysia';
import { rewritten, type Schema } from '../http/schemas/documented-schema.ts';
import { isProtocolPath } from '../langgraph/errors.ts';
import type { Content, Operation, OperationResponse, Parameter } from './openapi-document.ts';

export function routeOperation({ method, path, hooks }: InternalRoute): Operation {
  return {
    ...hooks.detail,
    operationId: operationId(method, path),
    parameters: [
      ...parametersOf(hooks.params, 'path'),
      ...parametersOf(hooks.query, 'query'),
      ...parametersOf(hooks.headers, 'header'),
    ],
    ...(hooks.body && { requestBody: { required: needsBody(path, hooks.body), content: json(hooks.body) } }),
    ...(hooks.response && { responses: responsesOf(hooks.response) }),
  };
}

/** Converts `/threads/:id` to `/threads/{id}`. */
export function templatePath(path: string): string {
  return path.replaceAll(/:([^/]+)/g, '{$1}');
}

/** An id such as `getApiV1ThreadsByThread_id`. */
function operationId(method: string, path: string): string {
  const words = path.split('/').filter((part) => part !== '');
  const named = words.map((part) => (part.startsWith(':') ? `By${capital(part.slice(1))}` : capital(part)));
  return method.toLowerCase() + (named.join('') || 'Index');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Requests of LangGraph's protocol without a body are read as an empty object. */
function needsBody(path: string, body: unknown): boolean {
  const { type, required = [] } = body as ObjectSchema;
  return !isProtocolPath(path) || type !== 'object' || required.length > 0;
}

function parametersOf(schema: unknown, location: 'path' | 'query' | 'header'): Parameter[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, one]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: readable(one),
  }));
}

function responsesOf(schemas: unknown): Record<string, OperationResponse> {
  return Object.fromEntries(
    Object.entries(schemas as Record<string, Schema>).map(([status, schema]) => {
      const description = (schema.description as string | undefined) ?? `Response for status ${status}`;
      return [status, { description, content: contentOf(schema) }];
    }),
  );
}

function contentOf(schema: Schema): Content {
  if (schema.type === 'void') return {};
  return schema.type === 'string' ? { 'text/plain': { schema: readable(schema) } } : json(schema);
}

function json(schema: unknown): Content {
  return { 'application/json': { schema: readable(schema) } };
}

/** Converts unions of constants to `enum`, and unions with null to lists of types: easier to read, also for client generators. */
function readable(schema: unknown): Schema {
  return rewritten(schema, (one) => {
    const choices = Array.isArray(one.anyOf) ? (one.anyOf as Schema[]) : [];
    if (choices.length === 0) return one;
    const { anyOf: _, ...rest } = one;
    if (choices.every((choice) => choice.const !== undefined))
      return { ...rest, type: 'string', enum: choices.map((choice) => choice.const) };
    const [only, ...others] = choices.filter(({ type }) => type !== 'null');
    const isNullable = others.length + 1 < choices.length;
    if (!isNullable || others.length > 0 || typeof only?.type !== 'string') return one;
    return { ...rest, ...only, type: [only.type, 'null'] };
  });
}

/** The OpenAPI document against its specification, and against the service, which rejects what the document excludes. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { answerText } from '../support/answer-text.ts';
import { protectedConfig } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';

setDefaultTimeout(60_000);

const provider = runningProvider();
const open = runningService(provider);
const protecting = runningService(provider, protectedConfig());

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  anyOf?: Schema[];
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Operation {
  security?: object[];
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: object }>;
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes?: object };
}

const documentOf = async (service: typeof open) =>
  (await (await service.fetch('/openapi.json')).json()) as ApiDocument;

async function operations() {
  const { paths } = await documentOf(open);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

type Asked = Awaited<ReturnType<typeof operations>>[number];

const CURSORS = [
  'threads.n1.n1',
  ...['runs', 'reviews', 'checkpoints', 'documents'].map((list) => `${list}.s1234`),
  ...['search', 'messages', 'namespaces', 'items'].map((list) => `${list}.n1`),
];
const TEXTS = ['a', 'a.md', '1', ...CURSORS, '2026-11-23', '2026-01-01T00:00:00Z', 'A'];

/** Parameters that require these others. */
const NEEDED: Record<string, string[]> = {
  prompt_revision: ['prompt'],
  prompt_version: ['prompt', 'prompt_revision'],
};

/** A value that is valid under the schema. */
function good({ const: only, enum: choices, anyOf, type, minimum, pattern = '' }: Schema): unknown {
  if (only !== undefined) return only;
  if (choices) return choices[0];
  if (anyOf?.[0]) return good(anyOf[0]);
  if (type === 'string') return TEXTS.find((text) => new RegExp(pattern).test(text)) ?? pattern;
  if (type === 'integer') return minimum ?? 1;
  return { boolean: true, array: [], object: {} }[String(type)] ?? null;
}

function bodySchemaOf({ operation }: Asked): Schema | undefined {
  return operation.requestBody?.content['application/json']?.schema;
}

/** The smallest value that is valid under the schema. */
function goodBody({ properties = {}, required = [], anyOf = [] }: Schema): Record<string, unknown> {
  const needed = [...required, ...(anyOf[0]?.required ?? [])];
  return Object.fromEntries(needed.map((name) => [name, good(properties[name] ?? {})]));
}

/** Texts that are invalid under the schema. */
function badTexts({ enum: choices, anyOf, minLength, maxLength, pattern }: Schema): string[] {
  const bad = ['', '\u0000', '-', '?', 'canary'.repeat(60)];
  if (maxLength !== undefined) bad.push('x'.repeat(maxLength + 1));
  const fits = (text: string) =>
    (!choices || choices.includes(text)) &&
    (!anyOf || anyOf.some((one) => one.const === text)) &&
    text.length >= (minLength ?? 0) &&
    text.length <= (maxLength ?? Number.POSITIVE_INFINITY) &&
    (pattern === undefined || new RegExp(pattern).test(text));
  return bad.filter((text) => !fits(text));
}

/** Values that are invalid under the schema. */
function bad(schema: Schema): unknown[] {
  const { type, anyOf, minimum, maximum } = schema;
  if (type === 'string') return [5, null, ['a'], {}, ...badTexts(schema)];
  if (type === 'integer')
    return ['5', null, 1.5, true, minimum !== undefined && minimum - 1, maximum !== undefined && maximum + 1];
  if (type === 'boolean') return ['true', 1, null, []];
  if (type === 'array' || type === 'object') return ['a', 1, null, type === 'array' ? {} : []];
  // Values that are invalid for every choice. Arrays are only used if no choice is an array.
  if (anyOf?.some((one) => one.type !== undefined)) return anyOf.map(bad).reduce(common);
  return anyOf ? ['canary', 1, [], {}] : [];
}

const common = (all: unknown[], others: unknown[]) =>
  all.filter((value) => others.some((other) => Bun.deepEquals(other, value)));

/** Existing resources, so that the rest of a request is validated. */
const THERE: Record<string, string> = {
  revision_id: 'default',
  filename: 'classification-agent.support_responder.jinja',
};

/** Sends a request, and checks that the status and the type of the response are documented. */
async function answer(
  { method, path, operation }: Asked,
  { query = '', body }: { query?: string; body?: object },
) {
  const parameter = (name: string) =>
    THERE[name] ??
    good(operation.parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {});
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, name) => String(parameter(name)));
  const response = await open.fetch(`${target}${query}`, {
    method,
    redirect: 'manual',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answerText(response, path);
  const documented = operation.responses[response.status];
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const types = Object.keys(documented?.content ?? {});
  const summary = `${method} ${target}${query} ${JSON.stringify(body)?.slice(0, 200)}: ${response.status} ${type} ${text.slice(0, 300)}`;
  if (!documented || (text !== '' && !types.includes(type))) throw new Error(`not documented: ${summary}`);
  return { status: response.status, summary };
}

test('the document is valid, with authentication and without', async () => {
  for (const service of [open, protecting]) {
    const { valid, errors } = await new Validator().validate({ ...(await documentOf(service)) });
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  }
});

test('the routes that require credentials are documented', async () => {
  const { paths, components } = await documentOf(protecting);
  expect(Object.keys(components.securitySchemes ?? {})).toEqual(['basic', 'bearer', 'api_key']);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      if (path.includes('*')) continue;
      const target = path.replaceAll(/\{[^}]+\}/g, 'a');
      const response = await protecting.fetch(target, { method: method.toUpperCase(), redirect: 'manual' });
      const needs = path === '/api/v1/chat' || response.status === 401;
      expect({ method, path, documented: security !== undefined }).toEqual({
        method,
        path,
        documented: needs,
      });
    }
  }
});

test('bodies that are invalid under their schema are rejected, field by field', async () => {
  let refused = 0;
  for (const operation of await operations()) {
    const schema = bodySchemaOf(operation);
    if (!schema) continue;
    const { properties = {}, required = [] } = schema;
    const good = goodBody(schema);
    const bodies: object[] = required.map((name) => ({ ...good, [name]: undefined }));
    for (const [name, field] of Object.entries(properties))
      bodies.push(
        ...bad(field)
          .filter((value) => value !== false)
          .map((value) => ({ ...good, [name]: value })),
      );
    for (const body of [...bodies, [], ['a']]) {
      const { status, summary } = await answer(operation, { body });
      if (status !== 400) throw new Error(`not refused: ${summary}`);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(200);
});

test('queries that are invalid under their schema are rejected, parameter by parameter', async () => {
  let refused = 0;
  for (const target of await operations()) {
    const all = target.operation.parameters.filter((one) => one.in === 'query');
    for (const { name, schema } of all) {
      const needed = NEEDED[name] ?? [];
      const others = all.filter((one) => (one.required || needed.includes(one.name)) && one.name !== name);
      const rest = others.map((one) => `&${one.name}=${good(one.schema)}`).join('');
      for (const text of badTexts(schema)) {
        const { status, summary } = await answer(target, {
          query: `?${name}=${encodeURIComponent(text)}${rest}`,
        });
        if (status !== 400) throw new Error(`not refused: ${summary}`);
        refused++;
      }
      const needs = bodySchemaOf(target);
      const body = needs ? { body: goodBody(needs) } : {};
      const query = `?${name}=${good(schema)}${rest}`;
      const { status, summary } = await answer(target, { query, ...body });
      if (status === 400) throw new Error(`refused: ${summary}`);
    }
  }
  expect(refused).toBeGreaterThan(50);
});

test('control characters in unknown fields are documented as invalid, and rejected', async () => {
  const chat = (await operations()).find(({ path }) => path === '/api/v1/chat');
  if (!chat) throw new Error('no chat');
  const request = { user_prompt: 'hi', conversation_flow: 'classification-agent' };
  expect((await answer(chat, { body: { ...request, extra: { key: ['tab\t'] } } })).status).toBe(200);
  for (const extra of ['\u0001', ['\u007f'], { key: '\u009f' }, { '\u0000': 1 }])
    expect((await answer(chat, { body: { ...request, extra } })).status).toBe(400);
});

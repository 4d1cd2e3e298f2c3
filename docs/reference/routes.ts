/** docs/http.md: the routes of the API with their fields, from the OpenAPI document that the service serves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openService } from '../../cli/service/open-service.ts';
import type { OpenApiDocument, Operation } from '../../server/docs/openapi-document.ts';
import { loadSettings } from '../../settings/load.ts';
import { fieldRows, rulesOf, typeOf } from './field-rows.ts';
import { code, page, table } from './markdown.ts';

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

export async function routesPage(): Promise<string> {
  const { paths } = await document();
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  // First what people ask for, then what their browsers and watchers do.
  const own = routes.filter(isOwn).toSorted((a, b) => Number(isPage(a)) - Number(isPage(b)));
  const others = routes.filter((route) => !isOwn(route));
  const shown = new Map<string, string>();
  const sections = Array.from(Map.groupBy(own, tagOf), ([tag, group]) =>
    [`## ${capital(tag)}`, ...group.map((route) => section(route, shown))].join('\n\n'),
  );
  return page('HTTP API', INTRODUCTION, ...sections, '## Other routes', OTHERS, listed(others));
}

const INTRODUCTION = `The routes of the service's own API. A running service shows them at \`/docs\`, and \`/openapi.json\` is the OpenAPI
document. Paths are below \`web_configuration.base_path\`, which is empty by default.

- Request bodies are JSON in UTF-8, and so are responses, unless stated otherwise. Times are ISO 8601 in UTC.
- Unknown fields of a request are ignored. Ignore unknown fields of a response: later versions may add some.
- Lists take \`limit\` and \`cursor\`, and return \`next_cursor\`, which is null on the last page.
- Every response has \`X-Request-Id\`. [errors.md](errors.md) describes the body of errors and each code.
- Any route can return INTERNAL_ERROR, SHUTTING_DOWN, OVERLOADED and STATE_UNAVAILABLE, and with
  [authentication](authentication.md) UNAUTHORIZED, RATE_LIMITED and ISSUER_UNAVAILABLE; routes that write can also return
  PAYLOAD_TOO_LARGE and STORAGE_FULL. They aren't repeated below.
- \`conversation_flow\` lists the workflows that come with Skein; a service accepts its own workflows too.`;

const OTHERS = `The routes that clients of other protocols call. [langgraph.md](langgraph.md) and [connect.md](connect.md) describe them; \`/docs\` has
their fields.`;

const ANYWHERE = new Set([
  ...['INTERNAL_ERROR', 'SHUTTING_DOWN', 'OVERLOADED', 'STATE_UNAVAILABLE'],
  ...['UNAUTHORIZED', 'RATE_LIMITED', 'ISSUER_UNAVAILABLE'],
  ...['PAYLOAD_TOO_LARGE', 'STORAGE_FULL'],
]);

/** Of the service with its core's workflows alone, and no settings. */
async function document(): Promise<OpenApiDocument> {
  const cwd = mkdtempSync(join(tmpdir(), 'skein-reference-'));
  const env = {
    SERVICE_TELEMETRY__LOG_LEVEL: 'silent',
    SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false',
    SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'false',
  };
  const service = await openService(loadSettings({ cwd, env, flags: {} }));
  try {
    const response = await service.app.handle(new Request('http://localhost/openapi.json'));
    return (await response.json()) as OpenApiDocument;
  } finally {
    await service.close(0);
    rmSync(cwd, { recursive: true });
  }
}

const PROTOCOLS = new Set(['a2a', 'ag-ui', 'ai-sdk', 'langgraph', 'mcp', 'openai']);

function isOwn(route: Route): boolean {
  return !PROTOCOLS.has(tagOf(route));
}

function isPage(route: Route): boolean {
  return ['studio', 'docs'].includes(tagOf(route));
}

function tagOf({ operation }: Route): string {
  return operation.tags?.[0] ?? 'other';
}

/** `shown`: the tables so far, with the route that has them. */
function section({ method, path, operation }: Route, shown: Map<string, string>): string {
  const name = `${method} ${path}`;
  const once = (text: string) => {
    const before = shown.get(text);
    // A short table says more than a link.
    if (before === undefined || before === name || text.split('\n').length < 10) {
      shown.set(text, before ?? name);
      return text;
    }
    return `The fields are those of [${before}](#${anchorOf(before)}).`;
  };
  const body = Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) =>
    [`Body, ${code(type)}:`, once(fields(schema))].join('\n\n'),
  );
  const parts = [
    `### ${name}`,
    `${operation.summary}.`,
    parameters(operation),
    ...body,
    ...answers(operation, once),
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** As GitHub names it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}

function parameters({ parameters: list = [] }: Operation): string {
  if (list.length === 0) return '';
  const rows = list.map(({ name, in: location, required, schema = {}, description }) => [
    code(name),
    `${location}${required ? ', required' : ''}`,
    withRules(schema),
    String(schema.description ?? description ?? ''),
  ]);
  return table(['parameter', 'in', 'type', 'meaning'], rows);
}

function answers({ responses = {} }: Operation, once: (text: string) => string): string[] {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const codes = Object.entries(responses).flatMap(([status, { description = '' }]) => {
    const own = description.split(', ').filter((one) => /^[A-Z_]+$/.test(one) && !ANYWHERE.has(one));
    return Number(status) < 400 || own.length === 0 ? [] : [`${status} ${own.join(', ')}`];
  });
  const successes = good.flatMap(([status, { description = '', content = {} }]) => [
    `**${status}** ${readable(description, content)}`.trim(),
    ...Object.values(content).map(({ schema }) => once(fields(schema))),
  ]);
  return [...successes, codes.length === 0 ? '' : `**Errors** ${codes.join('; ')}`];
}

/** Leaves out Elysia's default description, `Response for status ...`. */
function readable(description: string, content: object): string {
  const types = Object.keys(content).map(code).join(', ');
  return [description.startsWith('Response for status') ? '' : description, types].filter(Boolean).join(': ');
}

function fields(schema: unknown): string {
  const rows = fieldRows(schema).map(({ path, schema: one, required }) => [
    code(path),
    `${withRules(one)}${required ? '' : ', optional'}`,
    String(one.description ?? ''),
  ]);
  return rows.length === 0 ? '' : table(['field', 'type', 'meaning'], rows);
}

function withRules(schema: Record<string, unknown>): string {
  const rules = rulesOf(schema);
  const fallback = schema.default === undefined ? '' : `, default ${code(JSON.stringify(schema.default))}`;
  return `${typeOf(schema)}${rules === '' ? '' : `, ${rules}`}${fallback}`;
}

function listed(routes: Route[]): string {
  const rows = routes.map((route) => [
    tagOf(route),
    code(`${route.method} ${route.path}`),
    route.operation.summary ?? '',
  ]);
  return table(['protocol', 'route', 'what it does'], rows);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The API reference: the OpenAPI document and its HTML page. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import type { AnyElysia } from 'elysia';
import { type TestService, testService } from '../../support/service.ts';

let service: TestService;
// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
let document: any;

beforeAll(async () => {
  service = await testService();
  document = await (await service.fetch('/openapi.json')).json();
});

afterAll(() => service.close());

interface Operation {
  summary?: string;
  responses?: Record<
    string,
    { description: string; content?: Record<string, { schema: { properties: object } }> }
  >;
  parameters?: { name: string; in: string; required: boolean }[];
}

const operations = (): [string, Operation][] =>
  Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

/** Every route in the files of server/, each of which exports a function `...Routes` that creates an Elysia instance. */
async function routesOfFiles(): Promise<string[]> {
  const folder = join(import.meta.dir, '../../../server');
  const routes: string[] = [];
  for (const file of new Glob('**/*.ts').scanSync(folder)) {
    for (const [name, make] of Object.entries(await import(join(folder, file)))) {
      if (!name.endsWith('Routes')) continue;
      const instance = (make as (services: object) => AnyElysia)({});
      routes.push(
        ...instance.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:([^/]+)/g, '{$1}')}`),
      );
    }
  }
  return routes;
}

test('the document is OpenAPI and lists exactly the routes of the server', async () => {
  expect(document.openapi).toMatch(/^3\.\d+\.\d+$/);
  expect(document.info.title).toBe('Skein');
  const routes = await routesOfFiles();
  expect(routes.length).toBeGreaterThan(10);
  expect(
    operations()
      .map(([route]) => route)
      .toSorted(),
  ).toEqual(routes.toSorted());
});

test('every route has a summary and its responses, including errors', () => {
  for (const [route, { summary, responses }] of operations()) {
    expect([route, summary]).toEqual([route, expect.stringMatching(/\S/)]);
    expect([route, Object.keys(responses ?? {}).length]).not.toEqual([route, 0]);
    for (const { description } of Object.values(responses ?? {})) expect(description).toMatch(/\S/);
  }
  const chat = document.paths['/api/v1/chat'].post;
  expect(Object.keys(chat.responses)).toEqual([
    '200',
    '202',
    '400',
    '401',
    '404',
    '409',
    '413',
    '429',
    '500',
    '503',
  ]);
  expect(chat.responses[409].description).toContain('THREAD_BUSY');
});

test('errors are documented with their body', () => {
  for (const [operation, { responses = {} }] of operations()) {
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      // LangGraph's paths respond with text.
      if (content && 'text/plain' in content) continue;
      const fields = Object.keys(content?.['application/json']?.schema.properties ?? {});
      if (operation.includes(' /v1/')) {
        expect(fields).toEqual(['error']);
        continue;
      }
      // MCP's errors are inside a JSON-RPC object.
      if (fields.includes('jsonrpc')) continue;
      expect(fields).toEqual(
        expect.arrayContaining(['status', 'message', 'error_code', 'timestamp', 'request_id', 'detail']),
      );
    }
  }
});

test("the chat request and its response have the contract's fields, and each path parameter is listed", () => {
  const { post } = document.paths['/api/v1/chat'];
  const { properties, required } = post.requestBody.content['application/json'].schema;
  expect(required).toEqual(['conversation_flow']);
  expect(Object.keys(properties)).toEqual(
    [
      'user_prompt',
      'input',
      'conversation_flow',
      'thread_id',
      'user_id',
      'topic',
      'event_type',
      'stream',
      'multitask_strategy',
    ].concat(
      ['on_disconnect', 'context', 'configurable', 'interrupt_before', 'interrupt_after'],
      ['recursion_limit', 'checkpoint_id', 'max_tokens_budget', 'deadline_seconds'],
    ),
  );
  expect(Object.keys(post.requestBody.content)).toEqual(['application/json']);
  expect(post.responses[200].content['application/json'].schema.required).toContain('agent_response');
  for (const [route, { parameters = [] }] of operations()) {
    const listed = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect([route, listed]).toEqual([
      route,
      [...route.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''),
    ]);
  }
});

test('the page names every route, has no script and loads nothing', async () => {
  const response = await service.fetch('/docs');
  const page = await response.text();
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 200,
    type: 'text/html; charset=utf-8',
  });
  expect(response.headers.get('content-security-policy')).toStartWith("default-src 'none'");
  const loads: string[] = [];
  const rewriter = new HTMLRewriter()
    .on('script, link, img, iframe, object, embed, base, form', {
      element: ({ tagName }) => void loads.push(tagName),
    })
    .on('*', {
      element({ attributes }) {
        for (const [name] of attributes) if (name.startsWith('on') || name === 'src') loads.push(name);
      },
    });
  expect(rewriter.transform(page)).not.toContain('javascript:');
  expect(loads).toEqual([]);
  expect(page).not.toMatch(/url\(|@import/);
  for (const path of Object.keys(document.paths)) expect(page).toContain(`<code>${path}</code>`);
});

test('the root redirects to the studio', async () => {
  const response = await service.fetch('/', { redirect: 'manual' });
  expect({ status: response.status, location: response.headers.get('location') }).toEqual({
    status: 302,
    location: '/studio',
  });
});

test('a choice is an enum with its description and default, and nullable fields have a list of types', () => {
  const { schema } = document.paths['/api/v1/chat'].post.requestBody.content['application/json'];
  expect(schema.properties.on_disconnect).toMatchObject({
    type: 'string',
    enum: expect.arrayContaining(['cancel']),
    default: 'cancel',
  });
  const answer = document.paths['/api/v1/runs'].get.responses[200].content['application/json'].schema;
  const { agents } = answer.properties.runs.items.properties;
  expect(agents.items.properties.state.description).toStartWith('started: ');
  expect(JSON.stringify(answer)).toContain('"type":["string","null"]');
});

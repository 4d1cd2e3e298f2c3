/** The API reference: its OpenAPI document, and a page made of that document which needs nothing from elsewhere. */
import { type AnyElysia, Elysia } from 'elysia';
import { docsPage } from './docs-page.ts';
import type { OpenApiDocument } from './openapi-document.ts';

/** `app` is read at the first request: by then it has all its routes. */
export const docsRoutes = (app: () => AnyElysia, version: string) => {
  let document: Promise<OpenApiDocument> | undefined;
  const openApi = () => (document ??= describe(app(), version));

  return new Elysia({ name: 'docs' })
    .get('/openapi.json', () => openApi(), {
      detail: {
        summary: 'The OpenAPI document',
        tags: ['docs'],
        responses: { 200: { description: 'The document' } },
      },
    })
    .get(
      '/docs',
      async ({ set }) => {
        set.headers['content-type'] = 'text/html; charset=utf-8';
        set.headers['content-security-policy'] = "default-src 'none'; style-src 'unsafe-inline'";
        return docsPage(await openApi());
      },
      {
        detail: {
          summary: 'This reference as a page',
          tags: ['docs'],
          responses: { 200: { description: 'The page' } },
        },
      },
    )
    .get('/', ({ redirect }) => redirect('/studio', 302), {
      detail: {
        summary: 'Leads to the studio',
        tags: ['docs'],
        responses: { 302: { description: 'To /studio' } },
      },
    });
};

const OPENAPI = '3.1.2';

async function describe(app: AnyElysia, version: string): Promise<OpenApiDocument> {
  const { toOpenAPISchema } = await import('@elysiajs/openapi');
  // Without `staticFile: false` it leaves out paths with a dot.
  const { paths, components } = toOpenAPISchema(app, { staticFile: false }, undefined, undefined, OPENAPI);
  const operations = paths as OpenApiDocument['paths'];
  for (const { method, path, hooks } of app.routes) {
    const operation = operations[path.replaceAll(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase()];
    // It drops the documented responses of a route that has response schemas, which are those of success.
    if (operation) operation.responses = { ...hooks.detail?.responses, ...operation.responses };
  }
  return {
    openapi: OPENAPI,
    info: { title: 'Skein', version, description: 'A runtime service for agent workflows.' },
    paths: operations,
    components,
  };
}

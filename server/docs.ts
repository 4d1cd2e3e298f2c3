/** The API reference: its OpenAPI document, and a page made of that document which needs nothing from elsewhere. */
import { type AnyElysia, Elysia } from 'elysia';
import { docsPage } from './docs-page.ts';

/** `app` is read at the first request: by then it has all its routes. */
export const docsRoutes = (app: () => AnyElysia, version: string) => {
  let document: Promise<OpenApiDocument> | undefined;
  const openApi = () => (document ??= describe(app(), version));

  return new Elysia({ name: 'docs' })
    .get('/openapi.json', () => openApi(), { detail: { summary: 'The OpenAPI document', tags: ['docs'] } })
    .get(
      '/docs',
      async ({ set }) => {
        set.headers['content-type'] = 'text/html; charset=utf-8';
        set.headers['content-security-policy'] = "default-src 'none'; style-src 'unsafe-inline'";
        return docsPage(await openApi());
      },
      { detail: { summary: 'This reference as a page', tags: ['docs'] } },
    )
    .get('/', ({ redirect }) => redirect('/docs', 302), { detail: { summary: 'Leads to /docs', tags: ['docs'] } });
};

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: unknown;
}

export interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: unknown; description?: string }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
}

async function describe(app: AnyElysia, version: string): Promise<OpenApiDocument> {
  const { toOpenAPISchema } = await import('@elysiajs/openapi');
  const { paths, components } = toOpenAPISchema(app);
  return {
    openapi: '3.0.3',
    info: { title: 'Skein', version, description: 'A runtime service for agent workflows.' },
    paths: paths as OpenApiDocument['paths'],
    components,
  };
}

/** The API reference: the OpenAPI document, and a self-contained HTML page of it. */
import { type AnyElysia, Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { describeApi } from './describe-api.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { docsPage } from './page.ts';

/** Calls `app` at the first request, when it has all of its routes. */
export const docsRoutes = ({ version, authenticator, registry, web }: Services, app: () => AnyElysia) => {
  let document: OpenApiDocument | undefined;
  const openApi = (): OpenApiDocument => {
    const names = registry.workflows.map(({ name }) => name);
    document ??= describeApi({ app: app(), version, authenticator, names, basePath: web.base_path });
    return document;
  };

  return new Elysia({ name: 'docs' })
    .get('/openapi.json', () => openApi(), {
      detail: {
        summary: 'Get the OpenAPI document',
        tags: ['docs'],
        responses: { 200: { description: 'The document', content: { 'application/json': {} } } },
      },
    })
    .get(
      '/docs',
      ({ set }) => {
        set.headers['content-type'] = 'text/html; charset=utf-8';
        set.headers['content-security-policy'] = "default-src 'none'; style-src 'unsafe-inline'";
        return docsPage(openApi(), web.base_path);
      },
      {
        detail: {
          summary: 'Get this reference as an HTML page',
          tags: ['docs'],
          responses: { 200: { description: 'The page', content: { 'text/html': {} } } },
        },
      },
    )
    .get('/', ({ redirect }) => redirect('/studio', 302), {
      detail: {
        summary: 'Redirect to the studio',
        tags: ['docs'],
        responses: { 302: { description: 'A redirect to /studio' } },
      },
    });
};

/** The API reference: its OpenAPI document, and a page made of that document which needs nothing from elsewhere. */
import { type AnyElysia, Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { describeApi } from './describe-api.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { docsPage } from './page.ts';

/** `app` is read at the first request: by then it has all its routes. */
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
        summary: 'The OpenAPI document',
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
          summary: 'This reference as a page',
          tags: ['docs'],
          responses: { 200: { description: 'The page', content: { 'text/html': {} } } },
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

/** POST /ui/{graph} and GET /ui/{graph}/{file}: serves the UI components that `ui` in langgraph.json names. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import type { BundleFile } from '../components/bundles.ts';
import { componentHtml, originOf } from '../components/component-html.ts';
import type { Services } from '../services.ts';
import { textErrors } from './errors.ts';

const ComponentRequest = Type.Object(
  { name: Type.String({ maxLength: 1000, description: 'A key of the default export' }) },
  { additionalProperties: true, title: 'Component' },
);

const GraphName = Type.String({ maxLength: 64, description: 'A key of `ui` in langgraph.json' });
const HTML = { 'text/html': { schema: Type.String() } };
const FILE = { 'text/javascript': { schema: Type.String() }, 'text/css': { schema: Type.String() } };

// Clients insert the HTML into their own pages, so it must not work as a page or in a frame.
const POLICY = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" };

export const componentRoutes = ({ components, web }: Pick<Services, 'components' | 'web'>) => {
  async function filesOf(graph: string): Promise<BundleFile[]> {
    const files = await components.find(graph);
    if (!files) throw new SkeinError('NOT_FOUND', { detail: `UI not found for agent "${graph}"` });
    return files;
  }

  const baseOf = (url: string) => originOf(new URL(url)) + web.base_path;

  return new Elysia({ name: 'langgraph-components' })
    .post(
      '/ui/:graph',
      async ({ params: { graph }, body: { name }, request }) => {
        const html = componentHtml({ graph, name, base: baseOf(request.url) }, await filesOf(graph));
        return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8', ...POLICY } });
      },
      {
        ...{ parse: 'json', params: Type.Object({ graph: GraphName }), body: ComponentRequest },
        detail: {
          ...{ summary: 'Get the HTML that loads a component into a page', tags: ['langgraph'] },
          responses: {
            200: { description: 'The HTML', content: HTML },
            ...textErrors(
              'INVALID_REQUEST',
              'INVALID_JSON',
              'UNAUTHORIZED',
              'NOT_FOUND',
              'PAYLOAD_TOO_LARGE',
            ),
          },
        },
      },
    )
    .get(
      '/ui/:graph/:file',
      async ({ params: { graph, file: name } }) => {
        const file = (await filesOf(graph)).find((candidate) => candidate.name === name);
        if (!file) throw new SkeinError('NOT_FOUND', { detail: 'File not found' });
        return new Response(file.bytes, {
          headers: { 'content-type': file.type, 'cache-control': 'no-cache' },
        });
      },
      {
        params: Type.Object({ graph: GraphName, file: Type.String({ maxLength: 200 }) }),
        detail: {
          ...{ summary: "Get a file of a graph's components", tags: ['langgraph'] },
          responses: {
            200: { description: 'The file', content: FILE },
            ...textErrors('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
          },
        },
      },
    );
};

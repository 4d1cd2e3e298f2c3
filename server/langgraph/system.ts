/** GET /ok and /info: what LangGraph's clients request before anything else. */
import langgraph from '@langchain/langgraph/package.json';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';

const Info = Type.Object(
  {
    version: Type.String(),
    langgraph_js_version: Type.String(),
    context: Type.Literal('js'),
    flags: Type.Object({
      assistants: Type.Boolean(),
      crons: Type.Boolean(),
      langsmith: Type.Boolean(),
      langsmith_tracing_replicas: Type.Boolean(),
    }),
  },
  { title: 'LangGraphInfo' },
);

// The release of the reference server whose protocol this is: clients enable features based on it.
const PROTOCOL = '1.4.5';

export const systemRoutes = (_services: Services) =>
  new Elysia({ name: 'langgraph-system' })
    .get('/ok', () => ({ ok: true }), {
      response: { 200: Type.Object({ ok: Type.Boolean() }) },
      detail: { summary: 'Whether the server answers', tags: ['langgraph'] },
    })
    .get(
      '/info',
      () => ({
        version: PROTOCOL,
        langgraph_js_version: langgraph.version,
        context: 'js' as const,
        flags: { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false },
      }),
      {
        response: { 200: Info },
        detail: { summary: "What the server's protocol can do", tags: ['langgraph'] },
      },
    );

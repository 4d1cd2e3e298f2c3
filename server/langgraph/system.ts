/** GET /ok and GET /info, which LangGraph's clients request first. */
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

// The release of the reference server whose protocol is implemented. Clients enable features based on it.
const PROTOCOL_VERSION = '1.4.5';

export const systemRoutes = (_services: Services) =>
  new Elysia({ name: 'langgraph-system' })
    .get('/ok', () => ({ ok: true }), {
      response: { 200: Type.Object({ ok: Type.Boolean() }) },
      detail: { summary: 'Check that the server responds', tags: ['langgraph'] },
    })
    .get(
      '/info',
      () => ({
        version: PROTOCOL_VERSION,
        langgraph_js_version: langgraph.version,
        context: 'js' as const,
        flags: { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false },
      }),
      {
        response: { 200: Info },
        detail: { summary: 'Get the versions and features of the server', tags: ['langgraph'] },
      },
    );

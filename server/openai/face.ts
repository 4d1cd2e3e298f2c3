/** OpenAI's API, whole: a model is a workflow. */
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { completionRoutes } from './chat/routes.ts';
import { modelRoutes } from './models.ts';
import { conversationRoutes } from './responses/conversations.ts';
import { responseRoutes } from './responses/routes.ts';

/** Without types of its routes: the typed client is that of the service's own API. */
export function openAIFace(services: Services): Elysia {
  const routes = new Elysia({ name: 'openai' })
    .use(modelRoutes(services))
    .use(completionRoutes(services))
    .use(responseRoutes(services))
    .use(conversationRoutes(services));
  return routes as unknown as Elysia;
}

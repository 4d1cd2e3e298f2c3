/** All routes of OpenAI's API. A model is a workflow. */
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { completionRoutes } from './chat/routes.ts';
import { modelRoutes } from './models.ts';
import { conversationRoutes } from './responses/conversations.ts';
import { responseRoutes } from './responses/routes.ts';

/** Returns a plain `Elysia`, without the types of the routes: the typed client only covers the service's own API. */
export function openAIProtocol(services: Services): Elysia {
  const routes = new Elysia({ name: 'openai' })
    .use(modelRoutes(services))
    .use(completionRoutes(services))
    .use(responseRoutes(services))
    .use(conversationRoutes(services));
  return routes as unknown as Elysia;
}

/** All routes of LangGraph's protocol. */
import { Elysia } from 'elysia';
import { assistantGraphRoutes } from './assistants/assistant-graphs.ts';
import { assistantVersionRoutes } from './assistants/assistant-versions.ts';
import { assistantRoutes } from './assistants/routes.ts';
import { componentRoutes } from './components.ts';
import { cronRoutes } from './crons/routes.ts';
import { langgraphRunRoutes } from './runs/routes.ts';
import { statelessRunRoutes } from './runs/stateless-routes.ts';
import { threadStreamRoutes } from './runs/thread-stream.ts';
import { storeRoutes } from './store.ts';
import { systemRoutes } from './system.ts';
import { langgraphThreadRoutes } from './threads/routes.ts';
import { langgraphStateRoutes } from './threads/states.ts';
import { truncateRoutes } from './truncate.ts';
import { eventStreamingRoutes } from './v2/routes.ts';

/** Returns a plain `Elysia`, without the types of the routes: the typed client only covers the service's own API. */
export function langgraphProtocol(services: Parameters<typeof eventStreamingRoutes>[0]): Elysia {
  const routes = new Elysia({ name: 'langgraph' })
    .use(systemRoutes(services))
    .use(assistantRoutes(services))
    .use(assistantVersionRoutes(services))
    .use(assistantGraphRoutes(services))
    .use(langgraphThreadRoutes(services))
    .use(langgraphStateRoutes(services))
    .use(cronRoutes(services))
    .use(langgraphRunRoutes(services))
    .use(statelessRunRoutes(services))
    .use(threadStreamRoutes(services))
    .use(eventStreamingRoutes(services))
    .use(storeRoutes(services))
    .use(componentRoutes(services))
    .use(truncateRoutes(services));
  return routes as unknown as Elysia;
}

/** All routes of the AI SDK's protocol. A workflow is the back end of `useChat`. */
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { aiSdkRoutes } from './routes.ts';

/** Returns a plain `Elysia`, without the types of the routes: the typed client only covers the service's own API. */
export function aiSdkProtocol(services: Services): Elysia {
  return new Elysia({ name: 'ai-sdk-protocol' }).use(aiSdkRoutes(services)) as unknown as Elysia;
}

/** The AI SDK's protocol, whole: a workflow is the back end of a `useChat` page. */
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { aiSdkRoutes } from './routes.ts';

/** Without types of its routes: the typed client is that of the service's own API. */
export function aiSdkFace(services: Services): Elysia {
  return new Elysia({ name: 'ai-sdk-face' }).use(aiSdkRoutes(services)) as unknown as Elysia;
}

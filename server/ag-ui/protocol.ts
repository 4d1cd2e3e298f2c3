/** All routes of AG-UI. A workflow is an agent. */
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { agUiRoutes } from './routes.ts';

/** Returns a plain `Elysia`, without the types of the routes: the typed client only covers the service's own API. */
export function agUiProtocol(services: Services): Elysia {
  return new Elysia({ name: 'ag-ui-protocol' }).use(agUiRoutes(services)) as unknown as Elysia;
}

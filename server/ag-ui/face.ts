/** AG-UI, whole: a workflow is an agent. */
import { Elysia } from 'elysia';
import type { Services } from '../services.ts';
import { agUiRoutes } from './routes.ts';

/** Without types of its routes: the typed client is that of the service's own API. */
export function agUiFace(services: Services): Elysia {
  return new Elysia({ name: 'ag-ui-face' }).use(agUiRoutes(services)) as unknown as Elysia;
}

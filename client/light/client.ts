/** `skein-client`: the typed client as a package without dependencies on the service. */
import { createClient as edenClient } from '../client.ts';
import type { ClientOptions } from '../options.ts';
import type { ServiceRoutes } from './service.ts';
import type { Treaty } from './treaty.ts';

export type { ErrorBody } from '../api-error.ts';
export { SkeinApiError } from '../api-error.ts';
export { type FollowOptions, followRun } from '../follow-run.ts';
export type { ClientOptions, Fetch, RetryOptions, StreamOptions } from '../options.ts';
export { type RunStreamEvent, StreamLostError } from '../run-events.ts';
export { type StartOptions, streamChat, streamResume } from '../stream-chat.ts';
export type * from './service.ts';
export type { Answer } from './treaty.ts';

/** Every route of the service: a path is a chain of properties. Errors are returned, not thrown. */
export interface Client extends Treaty<ServiceRoutes> {}

/** `createClient(url).api.v1.chat.post({...})` resolves with `{ data, error, status }`. */
export const createClient: (baseUrl: string, options?: ClientOptions) => Client = edenClient;

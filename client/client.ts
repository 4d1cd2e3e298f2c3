/** The typed client: every route as a method of Eden Treaty, and runs as streams that reconnect automatically. */
import { treaty } from '@elysiajs/eden/treaty2';
import type { Routes } from '../server/app.ts';
import type { ClientOptions } from './options.ts';

export { SkeinApiError } from './api-error.ts';
export { followRun } from './follow-run.ts';
export { type RunStreamEvent, StreamLostError } from './run-events.ts';
export { streamChat, streamResume } from './stream-chat.ts';

/**
 * `createClient(url).api.v1.chat.post({...})` resolves with `{ data, error, status }`:
 * https://elysiajs.com/eden/treaty/overview
 */
export function createClient(baseUrl: string, { headers, fetch }: ClientOptions = {}) {
  return treaty<Routes>(baseUrl, {
    headers,
    fetcher: fetch as typeof globalThis.fetch,
    // Keep times as strings, as in the types and on the wire.
    parseDate: false,
  });
}

/** The client library as it is used here: one attempt a call, and nothing of the process's environment. */
import { OpenAIClient } from '@langchain/openai';
import type { ModelOptions } from './options.ts';
import { type Fetch, providerFetch } from './provider-fetch.ts';

export function openClient({ base_url, api_key }: ModelOptions, send?: Fetch): OpenAIClient {
  return new OpenAIClient({
    baseURL: base_url,
    // The client refuses to start without a key; the header says what is really sent.
    apiKey: api_key ?? 'none',
    defaultHeaders: { authorization: api_key === undefined ? null : `Bearer ${api_key}` },
    fetch: providerFetch(send),
    // Retries and deadlines are the call's, see attempts.ts.
    maxRetries: 0,
    timeout: NEVER_MS,
    // The client would print provider text.
    logLevel: 'off',
  });
}

// The longest that a timer can wait, 24 days.
const NEVER_MS = 2 ** 31 - 1;

/** Configures OpenAI's client library: one attempt per call, independent of environment variables. */
import type { OpenAIClient } from '@langchain/openai';
import type { ModelOptions } from '../options.ts';
import { type Fetch, providerFetch } from './provider-fetch.ts';

/** Loads the library at first use, because loading takes a tenth of the service's start time. */
export async function openClient({ base_url, api_key }: ModelOptions, send?: Fetch): Promise<OpenAIClient> {
  const { OpenAIClient } = await import('@langchain/openai');
  return new OpenAIClient({
    baseURL: base_url,
    // The client requires a key. The real key is in the header.
    apiKey: api_key ?? 'none',
    defaultHeaders: { authorization: api_key === undefined ? null : `Bearer ${api_key}` },
    fetch: providerFetch(send),
    // Retries and deadlines are handled in attempts.ts.
    maxRetries: 0,
    timeout: NEVER_MS,
    // Otherwise, the client would log texts of the provider.
    logLevel: 'off',
  });
}

// The longest possible delay of a timer, 24 days.
const NEVER_MS = 2 ** 31 - 1;

/** Configures the OpenAI client library: one attempt per call, independent of the environment. */
import type { OpenAIClient } from '@langchain/openai';
import type { ModelOptions } from './options.ts';
import { type Fetch, providerFetch } from './provider-fetch.ts';

/** Loads the library at first use: loading it would take a tenth of the service's start. */
export async function openClient({ base_url, api_key }: ModelOptions, send?: Fetch): Promise<OpenAIClient> {
  const { OpenAIClient } = await import('@langchain/openai');
  return new OpenAIClient({
    baseURL: base_url,
    // The client requires a key; the header contains the real one.
    apiKey: api_key ?? 'none',
    defaultHeaders: { authorization: api_key === undefined ? null : `Bearer ${api_key}` },
    fetch: providerFetch(send),
    // The call handles retries and deadlines, see attempts.ts.
    maxRetries: 0,
    timeout: NEVER_MS,
    // The client would log provider text.
    logLevel: 'off',
  });
}

// The longest delay of a timer, 24 days.
const NEVER_MS = 2 ** 31 - 1;

/** One configured model behind its OpenAI-compatible endpoint: a single attempt, streamed. */
import { ChatOpenAICompletions, type OpenAIClient } from '@langchain/openai';
import type { ModelOptions } from './options.ts';
import { ProviderError, toProviderError } from './provider-error.ts';
import { type Fetch, providerFetch } from './provider-fetch.ts';

export interface WireMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** What one attempt sends. */
export interface CompletionRequest {
  /** What the call is for; the offline model goes by it, a provider never sees it. */
  task: string;
  messages: WireMessage[];
  temperature?: number;
  /** Further fields of the request, for structured output. */
  format?: Record<string, unknown>;
}

export interface Completion {
  text: string;
  /** The arguments of the first tool call, where one was made. */
  toolArguments: string | undefined;
  /** As the provider reports it; null where it reports none that makes sense. */
  usage: { inputTokens: number; outputTokens: number } | null;
}

export interface Endpoint {
  readonly model: string;
  readonly options: ModelOptions;
  /** Throws a ProviderError, or the signal's reason. */
  complete(request: CompletionRequest, signal: AbortSignal, onToken?: (text: string) => void): Promise<Completion>;
}

/** `fetch` is the seam: the built-in offline model and the unit tests answer through it. */
export function openEndpoint(options: ModelOptions, connection: { fetch?: Fetch; offline?: boolean } = {}): Endpoint {
  const client = new ChatOpenAICompletions({
    model: options.model,
    apiKey: options.api_key ?? 'none',
    maxRetries: 0,
    configuration: {
      baseURL: options.base_url,
      fetch: providerFetch(connection.fetch),
      // The client library would print provider text.
      logLevel: 'off',
    },
  });
  return {
    model: options.model,
    options,
    async complete({ task, messages, temperature, format }, signal, onToken) {
      const request = {
        model: options.model,
        messages,
        stream: true as const,
        stream_options: { include_usage: true },
        ...(temperature === undefined ? {} : { temperature }),
        ...format,
      };
      const headers = connection.offline ? { 'x-skein-task': task } : {};
      try {
        return await collect(await client.completionWithRetry(request, { signal, headers }), onToken);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toProviderError(error);
      }
    },
  };
}

type Chunks = AsyncIterable<OpenAIClient.Chat.Completions.ChatCompletionChunk>;

async function collect(chunks: Chunks, onToken?: (text: string) => void): Promise<Completion> {
  let text = '';
  let toolArguments: string | undefined;
  let finish: string | null | undefined;
  let usage: Completion['usage'] = null;
  for await (const chunk of chunks) {
    if (chunk.usage) usage = sensible(chunk.usage);
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    finish = choice.finish_reason ?? finish;
    const piece = choice.delta?.content;
    if (typeof piece === 'string' && piece !== '') {
      text += piece;
      onToken?.(piece);
    }
    const call = choice.delta?.tool_calls?.[0];
    if (call) toolArguments = (toolArguments ?? '') + (call.function?.arguments ?? '');
  }
  if (finish === undefined || finish === null) {
    throw new ProviderError('malformed', "the provider's answer was cut off");
  }
  if (finish === 'length' || finish === 'content_filter') {
    throw new ProviderError('incomplete', `the provider stopped the answer early (finish_reason '${finish}')`);
  }
  if (text.trim() === '' && toolArguments === undefined) {
    throw new ProviderError('malformed', "the provider's answer is empty");
  }
  return { text, toolArguments, usage };
}

// Above every context window there is; a larger figure is a provider's fault, and would break sums and budgets.
const MAX_TOKENS = 100_000_000;

function sensible(usage: { prompt_tokens?: unknown; completion_tokens?: unknown }): Completion['usage'] {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : null;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}

/** One configured model behind its OpenAI-compatible endpoint: a single attempt, streamed. */
import { type Answer, gatherAnswer } from './answer.ts';
import { readAnswer } from './answer-body.ts';
import { openClient } from './client.ts';
import type { ModelOptions } from './options.ts';
import { ProviderError, toProviderError } from './provider-error.ts';
import type { Fetch } from './provider-fetch.ts';
import { countTokens, type TokenUsage } from './tokens.ts';

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
  /** The W3C trace that the call belongs to; sent as a header. */
  traceparent?: string | undefined;
  /** Further fields of the request, for structured output. */
  format?: Record<string, unknown>;
}

export interface Completion {
  text: string;
  /** The arguments of the first tool call, where one was made. */
  toolArguments: string | undefined;
  /** As the provider reports it; counted where it reports none that makes sense. */
  usage: TokenUsage;
}

export interface Endpoint {
  readonly model: string;
  readonly options: ModelOptions;
  /** Throws a ProviderError, the signal's reason, or what `onToken` throws. */
  complete(
    request: CompletionRequest,
    signal: AbortSignal,
    onToken?: (text: string) => void,
  ): Promise<Completion>;
}

/** `fetch` is the seam: the built-in offline model and the unit tests answer through it. */
export function openEndpoint(
  options: ModelOptions,
  connection: { fetch?: Fetch; offline?: boolean } = {},
): Endpoint {
  const client = openClient(options, connection.fetch);

  async function send(
    { task, messages, temperature, traceparent, format }: CompletionRequest,
    signal: AbortSignal,
  ) {
    const request = {
      model: options.model,
      messages,
      stream: true as const,
      stream_options: { include_usage: true },
      ...(temperature === undefined ? {} : { temperature }),
      ...format,
    };
    const headers = {
      ...(connection.offline ? { 'x-skein-task': task } : {}),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    try {
      // The response itself: the client's own stream knows no bound, and costs 0.1 ms of the 0.45 ms of a short call.
      return await client.chat.completions.create(request, { signal, headers }).asResponse();
    } catch (error) {
      throw toProviderError(error);
    }
  }

  return {
    model: options.model,
    options,
    async complete(request, signal, onToken) {
      const parts = gatherAnswer(request.format?.tools !== undefined, onToken);
      try {
        await readAnswer(await send(request, signal), parts.add);
        const answer = parts.whole();
        return { ...answer, usage: await usageOf(request, answer) };
      } catch (error) {
        signal.throwIfAborted();
        const begun = parts.soFar();
        if (error instanceof ProviderError && begun) error.usage = await usageOf(request, begun);
        throw error;
      }
    },
  };
}

function usageOf({ messages }: CompletionRequest, answer: Answer): TokenUsage | Promise<TokenUsage> {
  return answer.usage ?? countTokens(messages, answer.text + (answer.toolArguments ?? ''));
}

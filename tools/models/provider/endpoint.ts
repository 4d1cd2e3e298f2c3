/** A configured model behind an OpenAI-compatible endpoint. Makes one streamed attempt. */
import type { OpenAIClient } from '@langchain/openai';
import { type Answer, type AnswerPart, gatherAnswer } from '../answer/answer.ts';
import { readAnswer } from '../answer/answer-body.ts';
import { ProviderError, toProviderError } from '../errors/provider-error.ts';
import type { ModelOptions } from '../options.ts';
import { countTokens, estimateTextTokens, type TokenUsage } from '../usage/tokens.ts';
import { openClient } from './client.ts';
import type { Fetch } from './provider-fetch.ts';

export interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
}

/** The content of one attempt. */
export interface CompletionRequest {
  /** The purpose of the call, for the offline model. Not sent to providers. */
  task: string;
  messages: WireMessage[];
  /** The messages to send, if they contain more than text. Records and token counts use `messages`. */
  sent?: readonly object[];
  temperature?: number;
  /** The maximum length of the answer, in tokens. An answer that reaches it is complete. */
  maxTokens?: number | undefined;
  /** Stop sequences. */
  stop?: string[] | undefined;
  /** The W3C trace of the call, which is sent as a header. */
  traceparent?: string | undefined;
  /** Additional fields of the request, for tools and structured output. */
  format?: Record<string, unknown>;
}

export interface Completion extends Answer {
  /** The usage that the provider reports; counted here if it reports none or an implausible one. */
  usage: TokenUsage;
}

export interface Endpoint {
  readonly model: string;
  readonly options: ModelOptions;
  /** The path of the options in the settings; undefined for the built-in model. */
  readonly settingPath: string | undefined;
  /** Throws a ProviderError, the signal's reason, or what `onPart` throws. */
  complete(
    request: CompletionRequest,
    signal: AbortSignal,
    onPart?: (part: AnswerPart) => void,
  ): Promise<Completion>;
}

/** `fetch` can be replaced to answer the calls, as the built-in offline model and unit tests do. */
export function openEndpoint(
  options: ModelOptions,
  connection: { fetch?: Fetch | undefined; offline?: boolean; settingPath?: string } = {},
): Endpoint {
  let client: Promise<OpenAIClient> | undefined;

  async function send(
    { task, messages, sent, temperature, maxTokens, stop, traceparent, format }: CompletionRequest,
    signal: AbortSignal,
  ) {
    const request = {
      model: options.model,
      messages: (sent ?? messages) as OpenAIClient.Chat.ChatCompletionMessageParam[],
      stream: true as const,
      stream_options: { include_usage: true },
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { [limitField(options.model)]: maxTokens }),
      ...(stop === undefined ? {} : { stop }),
      ...format,
    };
    const headers = {
      ...(connection.offline ? { 'x-skein-task': task } : {}),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    client ??= openClient(options, connection.fetch);
    const { chat } = await client;
    try {
      // Read the raw response, because the client's own stream has no size limit, and takes 0.1 ms of the 0.45 ms of a short
      // call.
      return await chat.completions.create(request, { signal, headers }).asResponse();
    } catch (error) {
      throw toProviderError(error, options.api_key);
    }
  }

  return {
    model: options.model,
    options,
    settingPath: connection.settingPath,
    async complete(request, signal, onPart) {
      const { format, maxTokens } = request;
      const wanted = {
        tools: format?.tools !== undefined,
        short: maxTokens !== undefined,
        secret: options.api_key,
      };
      const parts = gatherAnswer(wanted, onPart);
      try {
        await readAnswer(await send(request, signal), parts.add);
        const answer = parts.whole();
        return { ...answer, usage: await usageOf(request, answer) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ProviderError && error.tooLong)
          throw error.withTokens(await sentTokens(request));
        const begun = parts.soFar();
        if (error instanceof ProviderError && begun) error.usage = await usageOf(request, begun);
        throw error;
      }
    },
  };
}

function usageOf(
  { messages }: CompletionRequest,
  { text, toolCalls, usage }: Omit<Answer, 'finish'>,
): TokenUsage | Promise<TokenUsage> {
  const called = toolCalls.map((call) => call.name + call.arguments);
  return usage ?? countTokens(messages, [text, ...called].join(''));
}

/** The number of input tokens. Tools and schemas are input as well. */
async function sentTokens({ messages, format }: CompletionRequest): Promise<number> {
  const { inputTokens } = await countTokens(messages, '');
  return inputTokens + (format === undefined ? 0 : estimateTextTokens(JSON.stringify(format)));
}

/** OpenAI's reasoning models reject the older name, and many compatible servers don't know the newer one. */
function limitField(model: string): 'max_tokens' | 'max_completion_tokens' {
  return /^(?:o\d|gpt-[5-9](?!-chat))/.test(model) ? 'max_completion_tokens' : 'max_tokens';
}

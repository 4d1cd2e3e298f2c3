/** A running model call inside a graph, and its record when it ends. */
import type { BaseMessage } from '@langchain/core/messages';
import type { GraphLocation } from '../../../state/threads/events.ts';
import type { Usage } from '../../../state/threads/runs.ts';
import type { EndedCall, ModelParameters, Outcome } from '../../../tools/models/call/call.ts';
import type { Price } from '../../../tools/models/options.ts';
import type { WireMessage } from '../../../tools/models/provider/endpoint.ts';
import type { ModelUse, Reserved } from '../../../tools/models/usage/meter.ts';
import { usageAt } from '../../../tools/models/usage/price.ts';
import { estimateTokens, type TokenUsage, tokensInBytes } from '../../../tools/models/usage/tokens.ts';
import type { ModelRequest } from '../../../tools/telemetry/chat-span.ts';
import type { Calling } from '../../authoring/run/run-context.ts';
import { sentForm } from './call-options.ts';
import type { Answer, Metadata } from './graph-handler.ts';

export interface Call {
  location: GraphLocation;
  record: Pick<Calling, 'called'>;
  model: string;
  messages: WireMessage[];
  /** LangChain's messages, and the request's other fields, if known. */
  group?: BaseMessage[] | undefined;
  parameters?: ModelParameters | undefined;
  startedAt: number;
  firstTokenAt?: number;
  /** The id of its message. */
  messageId?: string;
  /** The metadata that is known before the first token. */
  metadata: Metadata | undefined;
  /** Whether its text is left out of the stream. */
  quiet: boolean;
  /** The maximum length of the answer, in tokens. */
  maxTokens: number | undefined;
  /** Length of the text so far. */
  saidBytes: number;
  reserved?: Reserved | undefined;
}

export function modelRequest({ model, messages, maxTokens }: Call, metadata: Metadata): ModelRequest {
  const { ls_provider: provider, ls_temperature: temperature } = metadata;
  return {
    ...{ model, messages },
    ...(typeof provider === 'string' && { provider }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

/** The usage of a failed call: the received part of the answer. It is estimated, because the provider reports none. */
export function cutOff({ model, messages, saidBytes }: Call, price: Price | undefined): ModelUse | undefined {
  if (saidBytes === 0) return undefined;
  const tokens = { inputTokens: estimateTokens(messages), outputTokens: tokensInBytes(saidBytes) };
  return { ...usageAt(price, tokens), model };
}

export function usageOf(answer: Answer | undefined): TokenUsage | undefined {
  const { input_tokens, output_tokens, input_token_details } = answer?.usage_metadata ?? {};
  if (input_tokens === undefined || output_tokens === undefined) return undefined;
  const cachedTokens = input_token_details?.cache_read;
  return { inputTokens: input_tokens, outputTokens: output_tokens, ...(cachedTokens && { cachedTokens }) };
}

export function endedCall(
  { model, messages, group, parameters, startedAt, firstTokenAt }: Call,
  usage: Usage,
  outcome: Outcome,
): EndedCall {
  return {
    ...{ task: 'chat', model, messages, startedAt, attempts: 1, usage },
    ...(group && { sent: group.map(sentForm) }),
    ...(parameters && { parameters }),
    durationMs: Date.now() - startedAt,
    firstTokenMs: firstTokenAt === undefined ? null : firstTokenAt - startedAt,
    ...outcome,
  };
}

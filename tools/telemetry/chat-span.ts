/**
 * The span of a call of a chat model, by the conventions for generative AI:
 * https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/client-inference.md
 */
import type { Attributes, Span, Tracing } from './tracing.ts';

export interface ModelRequest {
  model: string;
  /** The provider in LangChain's spelling. Default: an OpenAI-compatible endpoint. */
  provider?: string | undefined;
  /** The address of the endpoint. */
  url?: string | undefined;
  messages: readonly { role: string; content: string }[];
  streams?: boolean | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  stop?: string[] | undefined;
  /** Whether the call requests JSON that fits a schema. */
  asksJson?: boolean;
  /** The purpose of the call. */
  task?: string;
}

/** What is known at the end of the call. */
export interface AnsweredModel {
  call: {
    model: string;
    response: string | null;
    firstTokenMs: number | null;
    attempts: number;
    usage: { inputTokens: number; outputTokens: number };
    errorCode?: string;
  };
  /** Why the model stopped. */
  finish?: string | undefined;
}

// Provider names in the conventions that differ from LangChain's.
const PROVIDERS: Record<string, string> = {
  azure: 'azure.ai.openai',
  amazon_bedrock: 'aws.bedrock',
  google_genai: 'gcp.gen_ai',
  google_vertexai: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  mistralai: 'mistral_ai',
  xai: 'x_ai',
};

export function chatSpan(tracing: Tracing, request: ModelRequest): Span {
  const {
    model,
    provider = 'openai',
    url,
    messages,
    streams,
    temperature,
    maxTokens,
    stop,
    asksJson,
    task,
  } = request;
  const attributes: Attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': model,
    'gen_ai.request.stream': streams,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.max_tokens': maxTokens,
    'gen_ai.request.stop_sequences': stop,
    'gen_ai.output.type': asksJson === undefined ? undefined : asksJson ? 'json' : 'text',
    'gen_ai.input.messages': tracing.content ? JSON.stringify(messages.map(messageOf)) : undefined,
    'skein.task': task,
    ...addressOf(url),
  };
  return tracing.begin(`chat ${model}`, { kind: 'client', attributes });
}

export function endChatSpan(tracing: Tracing, span: Span, { call, finish }: AnsweredModel): void {
  const { model, response, firstTokenMs, attempts, usage, errorCode } = call;
  const message = { role: 'assistant', content: response ?? '' };
  span.set({
    'gen_ai.response.model': errorCode === undefined ? model : undefined,
    'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
    'gen_ai.response.time_to_first_chunk': firstTokenMs === null ? undefined : firstTokenMs / 1000,
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.output.messages':
      tracing.content && response !== null
        ? JSON.stringify([{ ...messageOf(message), finish_reason: finish ?? 'stop' }])
        : undefined,
    'skein.attempts': attempts,
  });
  span.end(errorCode);
}

/** A text message in the form of the conventions. */
export function spoken(role: string, content: string): string {
  return JSON.stringify([messageOf({ role, content })]);
}

function messageOf({ role, content }: { role: string; content: string }) {
  return { role, parts: [{ type: 'text', content }] };
}

function addressOf(url: string | undefined): Attributes {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
}

/** Reports a model call, including its retries and fallbacks, as a span. */
import { chatSpan, endChatSpan } from '../../telemetry/chat-span.ts';
import { OFFLINE_MODEL } from '../offline/name.ts';
import type { CompletionRequest } from '../provider/endpoint.ts';
import { type CallContext, type Called, callModel, type EndedCall, type GuardedEndpoint } from './call.ts';

/** Calls the model. With tracing, the call has its own span, whose trace id is sent to the provider. */
export async function callTraced(
  chain: GuardedEndpoint[],
  request: CompletionRequest,
  context: CallContext,
): Promise<Called> {
  const { tracing } = context;
  const [first] = chain;
  if (!tracing || !first) return callModel(chain, request, context);
  const span = chatSpan(tracing, modelRequest(first, request));
  let ended: EndedCall | undefined;
  let finish: string | undefined;
  const callContext: CallContext = {
    ...context,
    traceparent: span.traceparent,
    onEnd(call) {
      ended = call;
      context.onEnd?.(call);
    },
  };
  try {
    const called = await tracing.within(span, () => callModel(chain, request, callContext));
    finish = called.finish;
    return called;
  } finally {
    if (ended) endChatSpan(tracing, span, { call: ended, finish });
    else span.end();
  }
}

// The default address of the client library.
const OPENAI = 'https://api.openai.com';

function modelRequest({ endpoint: { model, options } }: GuardedEndpoint, request: CompletionRequest) {
  const { messages, temperature = options.temperature, maxTokens, stop, format, task } = request;
  const asksJson = format?.response_format !== undefined;
  return {
    ...{ model, messages, temperature, maxTokens, stop, asksJson, task, streams: true },
    ...(model === OFFLINE_MODEL ? { provider: 'skein' } : { url: options.base_url ?? OPENAI }),
  };
}

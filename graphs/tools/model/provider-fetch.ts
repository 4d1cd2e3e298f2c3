/** The `fetch` of the model client: no redirects, bounded answers, and one answer form whatever the provider sends. */
import { ProviderError } from './provider-error.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

// Far above any answer of a chat model, and little enough to hold a few hundred of them.
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * A redirect would send the key and the conversation to another host, so it is an error. A provider that ignores
 * `stream: true` and sends one JSON document gets it turned into a stream of one piece.
 */
export function providerFetch(send: Fetch = fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, { ...init, redirect: 'error' });
    if (!response.ok) return response;
    if (Number(response.headers.get('content-length') ?? 0) > MAX_ANSWER_BYTES) throw tooLarge();
    const type = response.headers.get('content-type') ?? '';
    if (type.includes('application/json')) return asStream(await boundedText(response));
    if (type.includes('text/html')) throw new ProviderError('malformed', 'the provider sent a web page');
    return bounded(response);
  };
}

function tooLarge(): ProviderError {
  return new ProviderError('malformed', `the provider's answer passes ${MAX_ANSWER_BYTES} bytes`, {
    retryable: false,
  });
}

function bounded(response: Response): Response {
  if (!response.body) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), { status: response.status, headers: response.headers });
}

async function boundedText(response: Response): Promise<string> {
  return bounded(response).text();
}

interface JsonAnswer {
  id?: string;
  model?: string;
  choices?: { message?: { content?: unknown; tool_calls?: object[] }; finish_reason?: string }[];
  usage?: unknown;
}

function asStream(text: string): Response {
  const { choices, ...rest } = parsed(text);
  const choice = choices?.[0];
  const delta = choice && {
    content: choice.message?.content,
    tool_calls: choice.message?.tool_calls?.map((call, index) => ({ index, ...call })),
  };
  const chunk = { ...rest, choices: choice ? [{ index: 0, delta, finish_reason: choice.finish_reason }] : [] };
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
}

function parsed(text: string): JsonAnswer {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below, once for both.
  }
  throw new ProviderError('malformed', 'the provider sent broken JSON');
}

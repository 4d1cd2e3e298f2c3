/** An OpenAI-compatible provider on a real socket, scripted by the test. */

export interface ChatRequest {
  model: string;
  stream?: boolean;
  temperature?: number;
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema?: { name: string; schema: Record<string, unknown> } };
  tools?: { function: { name: string; parameters: Record<string, unknown> } }[];
}

/** A text is an answer, an object is returned as JSON, and a function returns any response. */
export type Reply = string | object | Response | ((signal: AbortSignal) => Response | Promise<Response>);

export type Script = (request: ChatRequest, index: number) => Reply | Promise<Reply>;

export interface Provider {
  url: string;
  requests: ChatRequest[];
  headers: Headers[];
  /** The number of calls that the client has aborted. */
  aborted: number;
  script: Script;
  close(): Promise<void>;
}

export const USAGE = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };

export const CLASSIFIED = {
  category: 'support',
  topic: 'broken pedal',
  sentiment: { label: 'negative', score: -0.6 },
  confidence: 0.9,
  explanation: 'Something is broken.',
};

/** Classifies everything as support, and answers every other call with `answer`. */
export function classifying(answer: Reply | Script = 'Stop using it and send a photo.'): Script {
  return (request, index) => {
    if (isStructured(request)) return CLASSIFIED;
    return typeof answer === 'function' && answer.length !== 1
      ? (answer as Script)(request, index)
      : (answer as Reply);
  };
}

export function isStructured({ response_format, tools }: ChatRequest): boolean {
  return response_format !== undefined || tools !== undefined;
}

export function scriptedProvider(script: Script = classifying()): Provider {
  const provider: Provider = {
    url: '',
    requests: [],
    headers: [],
    aborted: 0,
    script,
    close: async () => {},
  };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      // The service requests the list of models at startup.
      if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
      const body = (await request.json()) as ChatRequest;
      provider.headers.push(request.headers);
      const index = provider.requests.push(body) - 1;
      request.signal.addEventListener('abort', () => {
        provider.aborted++;
      });
      const reply = await provider.script(body, index);
      if (reply instanceof Response) return reply;
      if (typeof reply === 'function') return reply(request.signal);
      return completion(typeof reply === 'string' ? reply : JSON.stringify(reply), body);
    },
  });
  provider.url = `http://127.0.0.1:${server.port}/v1`;
  provider.close = () => server.stop(true);
  return provider;
}

/** A complete response in the requested form. */
export function completion(text: string, { stream, model, tools }: ChatRequest): Response {
  const call = tools?.[0] && {
    id: 'call',
    type: 'function',
    function: { name: tools[0].function.name, arguments: text },
  };
  const content = call ? null : text;
  const head = { id: answerId(), created: 1, model };
  if (!stream) {
    const message = { role: 'assistant', content, ...(call ? { tool_calls: [call] } : {}) };
    const choices = [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }];
    return Response.json({ ...head, object: 'chat.completion', choices, usage: USAGE });
  }
  const deltas = call
    ? [{ tool_calls: [{ index: 0, ...call }] }]
    : (text.match(/\S+\s*/g) ?? []).map((word) => ({ content: word }));
  const lines = [
    opening(head),
    ...deltas.map((delta) => chunk(head, { choices: [{ index: 0, delta, finish_reason: null }] })),
    chunk(head, { choices: [{ index: 0, delta: {}, finish_reason: call ? 'tool_calls' : 'stop' }] }),
    chunk(head, { choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ];
  return eventStream(lines.join(''));
}

let answers = 0;

/** Unique, because clients use it as the message's id, and a message with a known id replaces that message. */
export const answerId = (): string => `answer-${++answers}`;

/** The first chunk of a stream, from which OpenAI's client reads the role. */
export function opening(head: object): string {
  const delta = { role: 'assistant', content: '' };
  return chunk(head, { choices: [{ index: 0, delta, finish_reason: null }] });
}

export function eventStream(body: string | ReadableStream): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

export function chunk(head: object, body: object): string {
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...body })}\n\n`;
}

/** Creates answers and errors in the form of an OpenAI-compatible server. */

import type { ChatRequest } from './request.ts';

/** A tool to call, and its arguments as JSON. */
export interface CalledTool {
  name: string;
  arguments: string;
}

interface Completion {
  model: string;
  content: string | CalledTool[];
  /** If it aborts, a stream that is still being read ends. */
  signal: AbortSignal;
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** Responds with one JSON document, or with server-sent events if the request asks for a stream. */
export function completionResponse(request: ChatRequest, completion: Completion): Response {
  const { model, content } = completion;
  const head = { id: `chatcmpl-${crypto.randomUUID()}`, created: Math.floor(Date.now() / 1000), model };
  const calls = typeof content === 'string' ? undefined : content.map(wireCall);
  const text = typeof content === 'string' ? content : '';
  const usage = estimatedUsage(request, calls ? JSON.stringify(calls) : text);
  const said: Said = { text, calls, finish_reason: calls ? 'tool_calls' : 'stop' };
  if (request.stream)
    return eventStream([...chunks(head, said, request.includeUsage ? usage : undefined)], completion.signal);
  const message = {
    ...{ role: 'assistant', content: calls ? null : text, refusal: null },
    ...(calls && { tool_calls: calls.map(({ index: _, ...call }) => call) }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: said.finish_reason }];
  return Response.json({ ...head, object: 'chat.completion', choices, usage });
}

interface Said {
  text: string;
  calls: ReturnType<typeof wireCall>[] | undefined;
  finish_reason: string;
}

function wireCall(called: CalledTool, index: number) {
  return { index, id: `call_${crypto.randomUUID()}`, type: 'function', function: called };
}

export function errorResponse(status: number, message: string): Response {
  const error = { message, type: 'invalid_request_error', param: null, code: 'offline_model' };
  return Response.json({ error }, { status });
}

/** If usage is requested, every chunk has `usage`, which is null except in the last chunk, as in OpenAI's API. */
function* chunks(head: object, said: Said, usage: Usage | undefined): Generator<object> {
  const { text, calls, finish_reason } = said;
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(usage && { usage: null }),
  });
  yield chunk({ role: 'assistant', content: '', refusal: null }, null);
  for (const word of text.split(/(?<=\s)(?=\S)/)) if (word !== '') yield chunk({ content: word }, null);
  for (const call of calls ?? []) yield chunk({ tool_calls: [call] }, null);
  yield chunk({}, finish_reason);
  if (usage) yield { ...head, object: 'chat.completion.chunk', choices: [], usage };
}

/** Sends one event per read, so that the text arrives word by word and an abort between two words takes effect. */
function eventStream(events: object[], signal: AbortSignal): Response {
  const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'].values();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (signal.aborted) return controller.error(aborted());
      const next = lines.next();
      if (next.done) return controller.close();
      controller.enqueue(encoder.encode(`data: ${next.value}\n\n`));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

export function aborted(): DOMException {
  return new DOMException('The operation was aborted.', 'AbortError');
}

/** Estimated without a tokenizer: a token of English text has about four bytes. */
function estimatedUsage(request: ChatRequest, content: string): Usage {
  const prompt_tokens = tokens([...request.data, ...request.messages.map(({ text }) => text)].join('\n'));
  const completion_tokens = tokens(content);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function tokens(text: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(text) / 4));
}

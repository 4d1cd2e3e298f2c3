/** The scripted provider's answers if tools are bound: text, or calls in chunks. */
import {
  answerId,
  type ChatRequest,
  chunk,
  completion,
  eventStream,
  opening,
  USAGE,
} from '../../../support/provider.ts';

export interface Call {
  id: string;
  name: string;
  args: string;
}

export function saying(text: string, request: ChatRequest): Response {
  const { tools: _, ...plain } = request;
  return completion(text, plain);
}

/** As a stream or as one document, depending on the request. */
export function callingFor(request: ChatRequest, ...calls: Call[]): Response {
  if (request.stream) return calling(...calls);
  const tool_calls = calls.map(({ id, name, args }) => ({
    ...{ id, type: 'function', function: { name, arguments: args } },
  }));
  const message = { role: 'assistant', content: null, tool_calls };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
  const head = { id: answerId(), object: 'chat.completion', created: 1, model: request.model };
  return Response.json({ ...head, choices, usage: USAGE });
}

/** The arguments of each call are sent in two chunks, one call after the other. */
export function calling(...calls: Call[]): Response {
  const head = { id: answerId(), created: 1, model: 'm' };
  const piece = (index: number, args: string, id?: string, name?: string) => {
    const call = { index, id, type: 'function', function: { name, arguments: args } };
    return chunk(head, { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] });
  };
  const lines = calls.flatMap(({ id, name, args }, index) => {
    const half = Math.ceil(args.length / 2);
    return [piece(index, args.slice(0, half), id, name), piece(index, args.slice(half))];
  });
  const end = chunk(head, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
  return eventStream(
    [opening(head), ...lines, end, chunk(head, { choices: [], usage: USAGE }), 'data: [DONE]\n\n'].join(''),
  );
}

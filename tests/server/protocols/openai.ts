/** OpenAI's API as columns: chat completions and responses, as JSON and as streams. */
import { dataOf, isStream, type Outcome, type Protocol } from './protocol.ts';

const completions = (stream: boolean): Protocol => ({
  name: stream ? 'chat completions as a stream' : 'chat completions',
  ask: ({ text, workflow, thread }) => ({
    path: '/v1/chat/completions',
    body: {
      ...{ model: workflow, messages: [{ role: 'user', content: text }], stream },
      ...(thread && { metadata: { thread_id: thread } }),
    },
  }),
  async read(response) {
    const events = isStream(response) ? dataOf(await response.text()) : [await response.json()];
    const texts = events.map(({ choices }) => choices?.[0]?.delta?.content ?? choices?.[0]?.message?.content);
    return seen(response, events, texts.join(''));
  },
  reads: ({ thread }) => [
    { method: 'GET', path: `/v1/conversations/conv_${thread}` },
    { path: '/v1/responses', body: { model: 'echo', input: 'mine', conversation: `conv_${thread}` } },
    { method: 'DELETE', path: `/v1/conversations/conv_${thread}` },
  ],
  unknownWorkflow: { status: 404, code: 'model_not_found' },
  idempotent: true,
  ...(stream && { failedRun: 200, streams: true }),
});

const responses = (stream: boolean): Protocol => ({
  name: stream ? 'responses as a stream' : 'responses',
  ask: ({ text, workflow }) => ({ path: '/v1/responses', body: { model: workflow, input: text, stream } }),
  async read(response) {
    const events = isStream(response) ? dataOf(await response.text()) : [await response.json()];
    const last = events.at(-1)?.response ?? events.at(-1);
    const parts = (last?.output ?? []).flatMap(
      ({ content = [] }: { content?: { text: string }[] }) => content,
    );
    const text = parts.map((part: { text: string }) => part.text).join('');
    return { ...seen(response, [...events, last], text), id: last?.id };
  },
  reads: ({ id }) => [
    { method: 'GET', path: `/v1/responses/${id}` },
    { method: 'GET', path: `/v1/responses/${id}?stream=true` },
    { method: 'GET', path: `/v1/responses/${id}/input_items` },
    { method: 'POST', path: `/v1/responses/${id}/cancel`, body: {} },
    { method: 'DELETE', path: `/v1/responses/${id}` },
    { path: '/v1/responses', body: { model: 'echo', input: 'mine', previous_response_id: id } },
  ],
  unknownWorkflow: { status: 404, code: 'model_not_found' },
  idempotent: true,
  ...(stream && { failedRun: 200, streams: true }),
});

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
function seen({ status }: Response, events: any[], text: string): Outcome {
  const error = events.find((event) => event?.error)?.error;
  return { status, code: error?.code, text: error?.message ?? text };
}

export const OPENAI = [completions(false), completions(true), responses(false), responses(true)];

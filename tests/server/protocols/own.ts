/** The service's own API as columns: chat, as JSON and as a stream. */
import { dataOf, isStream, type Protocol } from './protocol.ts';

const chat = (stream: boolean): Protocol => ({
  name: stream ? 'chat as a stream' : 'chat',
  ask: ({ text, workflow, thread }) => ({
    path: '/api/v1/chat',
    body: { conversation_flow: workflow, user_prompt: text, thread_id: thread, stream },
  }),
  async read(response) {
    const events = isStream(response) ? dataOf(await response.text()) : [await response.json()];
    const error = events.find(({ error_code, message }) => error_code && message);
    const answer = events.find(({ agent_response }) => agent_response !== undefined);
    return {
      status: response.status,
      code: error?.error_code,
      text: error ? `${error.message}: ${error.detail}` : answer?.agent_response,
      id: answer?.run_id,
    };
  },
  reads: ({ id, thread }) => [
    { method: 'GET', path: `/api/v1/runs/${id}` },
    { method: 'GET', path: `/api/v1/runs/${id}/stream` },
    { method: 'POST', path: `/api/v1/runs/${id}/cancel`, body: {} },
    { method: 'GET', path: `/api/v1/threads/${thread}/messages` },
    { method: 'POST', path: `/api/v1/threads/${thread}/fork`, body: {} },
    { method: 'POST', path: `/api/v1/threads/${thread}/resume`, body: { value: 1 } },
  ],
  unknownWorkflow: { status: 400, code: 'INVALID_WORKFLOW_TYPE' },
  idempotent: true,
  ...(stream && { failedRun: 200, streams: true }),
});

export const OWN = [chat(false), chat(true)];

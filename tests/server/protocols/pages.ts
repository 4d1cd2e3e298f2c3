/** The protocols of web pages and LangGraph's clients as columns: the AI SDK, AG-UI, and both of LangGraph's protocols. */
import type { ErrorBody } from '../../../state/errors.ts';
import { dataOf, isStream, type Protocol } from './protocol.ts';

const AI_SDK: Protocol = {
  name: 'AI SDK',
  ask: ({ text, workflow, thread = crypto.randomUUID() }) => ({
    path: `/ai/${workflow}`,
    body: {
      ...{ id: thread, trigger: 'submit-message', on_disconnect: 'cancel' },
      messages: [{ id: 'q', role: 'user', parts: [{ type: 'text', text }] }],
    },
  }),
  async read(response) {
    const { status } = response;
    const text = await response.text();
    if (!isStream(response)) return { status, code: undefined, text };
    const chunks = dataOf(text);
    const deltas = chunks.flatMap(({ type, delta }) => (type === 'text-delta' ? [delta] : []));
    const error = chunks.find(({ type }) => type === 'error')?.errorText;
    const id = chunks.find(({ messageMetadata }) => messageMetadata?.run_id)?.messageMetadata.run_id;
    return { status, code: undefined, text: error ?? deltas.join(''), id };
  },
  reads: ({ thread }) => [
    { method: 'GET', path: `/ai/echo/${thread}/stream` },
    { method: 'POST', path: `/ai/echo/${thread}/stop` },
  ],
  ...{ failedRun: 200, plain: true, supersedes: true, streams: true, idempotent: true },
};

const AG_UI: Protocol = {
  name: 'AG-UI',
  ask: ({ text, workflow, thread = crypto.randomUUID() }) => ({
    path: `/ag-ui/${workflow}`,
    body: {
      ...{ threadId: thread, runId: 'r', state: {}, tools: [], context: [], forwardedProps: {} },
      messages: [{ id: 'q', role: 'user', content: text }],
    },
  }),
  async read(response) {
    const { status } = response;
    if (!isStream(response)) {
      const { error_code: code, message, detail } = (await response.json()) as ErrorBody;
      return { status, code, text: `${message}: ${detail}` };
    }
    const events = dataOf(await response.text());
    const error = events.find(({ type }) => type === 'RUN_ERROR');
    const texts = events.flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : []));
    return {
      status,
      code: error?.code,
      text: error?.message ?? texts.join(''),
      id: events[0]?.metadata?.run_id,
    };
  },
  reads: ({ thread }) => [
    {
      path: '/ag-ui/echo',
      body: {
        ...{ threadId: thread, runId: 'r', messages: [] },
        resume: [{ interruptId: 'stopped', status: 'resolved', payload: 1 }],
      },
    },
  ],
  ...{ failedRun: 200, streams: true },
};

const langgraph = (how: 'wait' | 'stream'): Protocol => ({
  name: how === 'wait' ? 'LangGraph' : 'LangGraph as a stream',
  ask: ({ text, workflow, thread = crypto.randomUUID() }) => ({
    path: `/threads/${thread}/runs/${how}`,
    body: {
      ...{ assistant_id: workflow, input: { messages: [{ role: 'user', content: text }] } },
      ...{ if_not_exists: 'create', on_disconnect: 'cancel', stream_mode: ['messages-tuple', 'values'] },
    },
  }),
  async read(response) {
    const { status } = response;
    const id = /runs\/([^/]+)/.exec(response.headers.get('content-location') ?? '')?.[1];
    const text = await response.text();
    if (!response.ok) return { status, code: undefined, text };
    const all = isStream(response) ? dataOf(text) : [JSON.parse(text)];
    const events = all.filter((event) => event !== null);
    const failed = events.find((event) => event.error !== undefined || event.__error__ !== undefined);
    const { error, message } = failed?.__error__ ?? failed ?? {};
    const answer = events.at(-1)?.messages?.at(-1)?.content;
    return { status, code: error, text: failed ? message : answer, id };
  },
  reads: ({ id, thread }) => [
    { method: 'GET', path: `/threads/${thread}` },
    { method: 'GET', path: `/threads/${thread}/state` },
    { method: 'POST', path: `/threads/${thread}/history`, body: {} },
    { method: 'GET', path: `/threads/${thread}/runs/${id}` },
    { method: 'GET', path: `/threads/${thread}/runs/${id}/join` },
    { method: 'GET', path: `/threads/${thread}/runs/${id}/stream` },
    { method: 'POST', path: `/threads/${thread}/runs/${id}/cancel`, body: {} },
    { path: `/threads/${thread}/runs/wait`, body: { assistant_id: 'echo', command: { resume: 1 } } },
    { path: `/threads/${thread}/commands`, body: { id: 1, method: 'state.get', params: {} } },
  ],
  ...{ failedRun: 200, plain: true, takesAnything: true },
  ...(how === 'stream' && { streams: true, cancelled: /event: end/ }),
});

export const PAGES = [AI_SDK, AG_UI, langgraph('wait'), langgraph('stream')];

/** The JSON-RPC protocols as columns of the shared tests: MCP, and A2A in both of its versions. */
import { dataOf, isStream, type Outcome, type Protocol } from './protocol.ts';

const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });

const mcpTool = (name: string, args: object) => ({
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream' },
  body: rpc('tools/call', { name, arguments: args }),
});

const MCP: Protocol = {
  name: 'MCP',
  ask: ({ text, workflow, thread }) =>
    mcpTool(workflow.replaceAll('-', '_'), { user_prompt: text, thread_id: thread }),
  async read(response) {
    const [message] = isStream(response) ? dataOf(await response.text()) : [await response.json()];
    const { result, error } = message ?? {};
    const failure = error?.data ?? result?._meta?.['skein/error'];
    return {
      status: response.status,
      code: failure?.error_code,
      text: error?.message ?? result?.content?.[0]?.text,
      id: result?.structuredContent?.run_id,
    };
  },
  reads: ({ thread }) => [mcpTool('resume', { thread_id: thread, value: 1 })],
  ...{ failedRun: 200, refused: 200, limitStatus: 200 },
  unknownWorkflow: { status: 200 },
};

interface Version {
  name: string;
  send: string;
  task: string[];
  role: string;
  part: (text: string) => object;
}

const V1: Version = {
  ...{ name: 'A2A 1.0', send: 'SendMessage', role: 'ROLE_USER', part: (text) => ({ text }) },
  task: ['GetTask', 'CancelTask', 'SubscribeToTask'],
};
const V03: Version = {
  ...{ name: 'A2A 0.3', send: 'message/send', role: 'user', part: (text) => ({ kind: 'text', text }) },
  task: ['tasks/get', 'tasks/cancel', 'tasks/resubscribe'],
};

const a2a = ({ name, send, task, role, part }: Version, streams = false): Protocol => {
  const messageOf = (text: string, about: object) => ({
    ...{ messageId: 'm', role, parts: [part(text)], ...(send.includes('/') && { kind: 'message' }) },
    ...about,
  });
  return {
    name: streams ? `${name} as a stream` : name,
    ask: ({ text, workflow, thread }) => ({
      path: `/a2a/${workflow}`,
      body: rpc(send, { message: messageOf(text, thread ? { contextId: thread } : {}) }),
    }),
    async read(response) {
      const events = isStream(response) ? dataOf(await response.text()) : [await response.json()];
      return a2aSeen(response.status, events);
    },
    reads: ({ id }) => [
      ...task.map((method) => ({ path: '/a2a/echo', body: rpc(method, { id }) })),
      { path: '/a2a/echo', body: rpc(send, { message: messageOf('mine', { taskId: id }) }) },
    ],
    ...{ failedRun: 200, refused: 200, idempotent: true },
    ...(streams && { continuesOnDisconnect: true, streams: true }),
  };
};

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
function a2aSeen(status: number, events: any[]): Outcome {
  const error = events.find((event) => event.error)?.error;
  const results = events.flatMap(({ result }) => (result ? [result.task ?? result] : []));
  const artifacts = results.flatMap(({ artifacts = [], artifact, artifactUpdate }) => [
    ...artifacts,
    ...[artifact ?? artifactUpdate?.artifact ?? []].flat(),
  ]);
  const statuses = results.flatMap(({ status, statusUpdate }) =>
    [status ?? statusUpdate?.status ?? []].flat(),
  );
  const part = statuses.at(-1)?.message?.parts?.[0];
  const failure = error ? (error.data?.[0]?.metadata ?? error.data) : part?.metadata?.error;
  const texts = artifacts.flatMap(({ parts }) => parts).map((part: { text?: string }) => part.text ?? '');
  return {
    status,
    code: failure?.error_code,
    text: error?.message ?? (failure ? part.text : texts.join('')),
    id: results[0]?.id,
  };
}

export const JSON_RPC = [
  MCP,
  a2a(V1),
  a2a({ ...V1, send: 'SendStreamingMessage' }, true),
  a2a(V03),
  a2a({ ...V03, send: 'message/stream' }, true),
];

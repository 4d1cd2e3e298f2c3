/** The time to the first token of every protocol, compared with chat. The protocols alternate, so that load affects all. */
import { median } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 400);
const WARM_UP = 60;
// Pause of the provider after the first word, so that only work before the first token is measured.
const PAUSE_MS = 12;

const WORKFLOW = 'one-agent';
const QUESTION = 'What is two and two?';
const question = { role: 'user', content: QUESTION };

interface ProtocolRequest {
  path: string;
  body: object;
  headers?: Record<string, string>;
  /** Text by which the first token is recognized. */
  first: string;
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

const PROTOCOLS: Record<string, (thread: string) => ProtocolRequest> = {
  chat: (thread_id) => ({
    path: '/api/v1/chat',
    body: { user_prompt: QUESTION, conversation_flow: WORKFLOW, thread_id, stream: true },
    first: 'event: token',
  }),
  'chat completions': (thread_id) => ({
    path: '/v1/chat/completions',
    body: { model: WORKFLOW, stream: true, messages: [question], metadata: { thread_id } },
    first: '"content":"Two',
  }),
  responses: () => ({
    path: '/v1/responses',
    body: { model: WORKFLOW, stream: true, input: QUESTION },
    first: 'response.output_text.delta',
  }),
  'AI SDK': (id) => ({
    path: `/ai/${WORKFLOW}`,
    body: { id, messages: [{ id: 'q', role: 'user', parts: [{ type: 'text', text: QUESTION }] }] },
    first: '"text-delta"',
  }),
  'AG-UI': (threadId) => ({
    path: `/ag-ui/${WORKFLOW}`,
    body: { threadId, runId: 'r', tools: [], context: [], messages: [{ id: 'q', ...question }] },
    first: 'TEXT_MESSAGE_CONTENT',
  }),
  'A2A 1.0': (contextId) => ({
    path: `/a2a/${WORKFLOW}`,
    body: rpc('SendStreamingMessage', {
      message: { messageId: 'm', contextId, role: 'ROLE_USER', parts: [{ text: QUESTION }] },
    }),
    first: '"artifactUpdate"',
  }),
  'A2A 0.3': (contextId) => ({
    path: `/a2a/${WORKFLOW}`,
    body: rpc('message/stream', {
      message: {
        ...{ kind: 'message', messageId: 'm', contextId, role: 'user' },
        parts: [{ kind: 'text', text: QUESTION }],
      },
    }),
    first: '"artifact-update"',
  }),
  // Tool results don't stream. The first token is reported by a progress notification.
  MCP: (thread_id) => ({
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream' },
    body: rpc('tools/call', {
      name: 'one_agent',
      arguments: { user_prompt: QUESTION, thread_id },
      _meta: { progressToken: 1 },
    }),
    first: 'is writing',
  }),
  LangGraph: (thread) => ({
    path: `/threads/${thread}/runs/stream`,
    body: {
      ...{ assistant_id: WORKFLOW, input: { messages: [question] } },
      ...{ stream_mode: 'messages-tuple', if_not_exists: 'create' },
    },
    first: '"content":"Two',
  }),
};

export async function firstToken(): Promise<string> {
  const provider = await startProvider(0, PAUSE_MS);
  const skein = await startSkein(provider);
  const names = Object.keys(PROTOCOLS);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Random order, because a request may be slowed down by background work of the previous one.
    for (const name of names.toSorted(() => Math.random() - 0.5)) {
      const took = await timed(skein.url, PROTOCOLS[name]?.(crypto.randomUUID()));
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  for (const { stop } of [skein, provider]) await stop();
  const chat = times.get('chat') ?? [];
  const rows = names.map((name) => {
    const own = times.get(name) ?? [];
    const beside = median(own.map((took, round) => took - (chat[round] ?? Number.NaN)));
    return `| ${name} | ${median(own).toFixed(2)} | ${beside >= 0 ? '+' : ''}${beside.toFixed(2)} |`;
  });
  return `## The first token over each protocol

Milliseconds from the request to the first token, one connection, ${ROUNDS} alternating turns each. The second value is the median
difference to chat's turn of the same round.

| protocol | first token | difference to chat |
|---|---|---|
${rows.join('\n')}
`;
}

async function timed(url: string, request: ProtocolRequest | undefined): Promise<number> {
  if (!request) return Number.NaN;
  const began = performance.now();
  const response = await fetch(`${url}${request.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...request.headers },
    body: JSON.stringify(request.body),
  });
  const decoder = new TextDecoder();
  let received = '';
  let seen = Number.NaN;
  for await (const piece of response.body ?? []) {
    received += decoder.decode(piece, { stream: true });
    if (Number.isNaN(seen) && received.includes(request.first)) seen = performance.now() - began;
  }
  if (Number.isNaN(seen)) throw new Error(`${request.path}: ${response.status} ${received}`);
  return seen;
}

if (import.meta.main) console.log(await firstToken());

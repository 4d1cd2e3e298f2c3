/** The time to the first token at every protocol, side by side with chat's: rounds in turn, so that all meet the same machine. */
import { median } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 400);
const WARM_UP = 60;
// What follows the first word comes later: only what is before it counts.
const PAUSE_MS = 12;

const WORKFLOW = 'one-agent';
const QUESTION = 'What is two and two?';
const said = { role: 'user', content: QUESTION };

interface Asked {
  path: string;
  body: object;
  headers?: Record<string, string>;
  /** What the first token looks like. */
  first: string;
}

const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

const FACES: Record<string, (thread: string) => Asked> = {
  chat: (thread_id) => ({
    path: '/api/v1/chat',
    body: { user_prompt: QUESTION, conversation_flow: WORKFLOW, thread_id, stream: true },
    first: 'event: token',
  }),
  'chat completions': (thread_id) => ({
    path: '/v1/chat/completions',
    body: { model: WORKFLOW, stream: true, messages: [said], metadata: { thread_id } },
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
    body: { threadId, runId: 'r', tools: [], context: [], messages: [{ id: 'q', ...said }] },
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
  // A tool's result is whole: the first token is told as progress.
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
      ...{ assistant_id: WORKFLOW, input: { messages: [said] } },
      ...{ stream_mode: 'messages-tuple', if_not_exists: 'create' },
    },
    first: '"content":"Two',
  }),
};

export async function firstToken(): Promise<string> {
  const provider = await startProvider(0, PAUSE_MS);
  const skein = await startSkein(provider);
  const names = Object.keys(FACES);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Another order in each round: whatever runs behind another one meets what that has left to do.
    for (const name of names.toSorted(() => Math.random() - 0.5)) {
      const took = await timed(skein.url, FACES[name]?.(crypto.randomUUID()));
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

Milliseconds from the request to the first token, one connection, ${ROUNDS} turns each, in turn. The second figure is the median
difference to chat's turn of the same round.

| protocol | first token | difference to chat |
|---|---|---|
${rows.join('\n')}
`;
}

async function timed(url: string, asked: Asked | undefined): Promise<number> {
  if (!asked) return Number.NaN;
  const began = performance.now();
  const response = await fetch(`${url}${asked.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asked.headers },
    body: JSON.stringify(asked.body),
  });
  const decoder = new TextDecoder();
  let received = '';
  let seen = Number.NaN;
  for await (const piece of response.body ?? []) {
    received += decoder.decode(piece, { stream: true });
    if (Number.isNaN(seen) && received.includes(asked.first)) seen = performance.now() - began;
  }
  if (Number.isNaN(seen)) throw new Error(`${asked.path}: ${response.status} ${received}`);
  return seen;
}

if (import.meta.main) console.log(await firstToken());

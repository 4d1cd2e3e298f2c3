/** Mixed operations at a steady rate: turns, disconnecting clients, cancellations, deletions, reads and invalid requests. */
import { type Random, seeded } from '../../tests/faults/seeded.ts';

export interface MixedLoad {
  /** The number of starts of each operation. */
  operations: Record<string, number>;
  /** The number of responses by outcome: the status, with the error code if there is one. */
  outcomes: Record<string, number>;
  /** Resolves when the last operation has ended. */
  ended: Promise<void>;
}

export interface MixedLoadOptions {
  url: string;
  seed: number;
  /** Operations a second. */
  rate: number;
  /** End of the load, on the clock of `performance.now()`. */
  until: number;
}

/** New operations are skipped while this many are in progress. */
const MAX_CONCURRENT = 100;
const LASTING_THREADS = 300;

export function mixedLoad({ url, seed, rate, until }: MixedLoadOptions): MixedLoad {
  const random = seeded(seed);
  const load: MixedLoad = { operations: {}, outcomes: {}, ended: Promise.resolve() };
  const names = Object.entries(OPERATIONS).flatMap(([name, [weight]]) => Array<string>(weight).fill(name));
  const call = caller(url, (outcome) => count(load.outcomes, outcome));
  const running = new Set<Promise<void>>();

  async function operate(): Promise<void> {
    while (performance.now() < until) {
      await Bun.sleep(random.below(2_000 / rate));
      if (running.size >= MAX_CONCURRENT) continue;
      const name = random.of(names);
      count(load.operations, name);
      const operation = (OPERATIONS[name]?.[1](call, random) ?? Promise.resolve())
        .catch((error: unknown) => count(load.outcomes, `broken: ${error}`))
        .finally(() => running.delete(operation));
      running.add(operation);
    }
    await Promise.all(running);
  }

  load.ended = operate();
  return load;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

interface Sent {
  method?: string;
  body?: object | string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

// biome-ignore lint/suspicious/noExplicitAny: a load reads a few fields of answers of all routes
type Call = (path: string, sent?: Sent) => Promise<any>;

function caller(url: string, answered: (outcome: string) => void): Call {
  return async (path, { method = 'POST', body, headers, signal = AbortSignal.timeout(180_000) } = {}) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        signal,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      const answer = isJson && text !== '' ? JSON.parse(text) : text;
      answered(`${response.status}${answer?.error_code ? ` ${answer.error_code}` : ''}`);
      return answer;
    } catch (error) {
      const name = error instanceof Error ? error.name : String(error);
      answered(name === 'AbortError' ? 'client left' : name);
    }
  };
}

const QUESTION = 'What is two and two?';
const lasting = (random: Random) => `lasting-${random.below(LASTING_THREADS)}`;
const fresh = () => crypto.randomUUID();
const turn = (thread_id: string, more: object = {}) => ({
  ...{ user_prompt: QUESTION, conversation_flow: 'one-agent', thread_id },
  ...more,
});
const ASYNC = { prefer: 'respond-async' };

function leaving(random: Random): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20 + random.below(300));
  return controller.signal;
}

const OPERATIONS: Record<string, [weight: number, (call: Call, random: Random) => Promise<void>]> = {
  turn: [20, (call, random) => call('/api/v1/chat', { body: turn(lasting(random)) })],
  stream: [15, (call, random) => call('/api/v1/chat', { body: turn(lasting(random), { stream: true }) })],
  leave: [8, (call, random) => call('/api/v1/chat', { body: turn(fresh()), signal: leaving(random) })],
  leaveStream: [
    8,
    (call, random) =>
      call('/api/v1/chat', { body: turn(fresh(), { stream: true }), signal: leaving(random) }),
  ],
  cancel: [
    8,
    async (call, random) => {
      const accepted = await call('/api/v1/chat', { body: turn(fresh()), headers: ASYNC });
      await Bun.sleep(random.below(300));
      if (accepted?.run_id) await call(`/api/v1/runs/${accepted.run_id}/cancel`, { body: {} });
    },
  ],
  rejoin: [
    5,
    async (call) => {
      const accepted = await call('/api/v1/chat', { body: turn(fresh()), headers: ASYNC });
      if (accepted?.run_id) await call(`/api/v1/runs/${accepted.run_id}/stream`, { method: 'GET' });
    },
  ],
  repeat: [
    5,
    async (call) => {
      const sent = { body: turn(fresh()), headers: { 'idempotency-key': fresh() } };
      await Promise.all([call('/api/v1/chat', sent), call('/api/v1/chat', sent)]);
      await call('/api/v1/chat', { ...sent, body: { ...sent.body, user_prompt: 'Something else' } });
    },
  ],
  // Each deletion rebuilds the state file, so that nothing of the thread is left in it.
  forkAndDelete: [
    1,
    async (call) => {
      const thread = fresh();
      await call('/api/v1/chat', { body: turn(thread) });
      const fork = await call(`/api/v1/threads/${thread}/fork`, { body: {} });
      await call(`/api/v1/threads/${thread}`, { method: 'DELETE' });
      if (fork?.thread_id) await call(`/api/v1/threads/${fork.thread_id}`, { method: 'DELETE' });
    },
  ],
  sql: [
    5,
    (call) => call('/api/v1/chat', { body: turn(fresh(), { conversation_flow: 'sql-manipulation-agent' }) }),
  ],
  knowledge: [
    5,
    (call) => call('/api/v1/chat', { body: turn(fresh(), { conversation_flow: 'knowledge-base-agent' }) }),
  ],
  langgraph: [
    5,
    async (call) => {
      const thread = await call('/threads', { body: {} });
      const input = { messages: [{ role: 'user', content: QUESTION }] };
      const body = { assistant_id: 'message-state', input, stream_mode: ['values', 'messages-tuple'] };
      if (thread?.thread_id) await call(`/threads/${thread.thread_id}/runs/stream`, { body });
    },
  ],
  openai: [
    5,
    async (call) => {
      const messages = [{ role: 'user', content: QUESTION }];
      await call('/v1/chat/completions', { body: { model: 'one-agent', messages, stream: true } });
    },
  ],
  read: [
    10,
    async (call, random) => {
      await call(`/api/v1/threads/${lasting(random)}/messages`, { method: 'GET' });
      await call('/api/v1/runs?limit=50', { method: 'GET' });
      await call('/api/v1/statistics', { method: 'GET' });
      await call('/api/v1/health', { method: 'GET' });
    },
  ],
  invalid: [
    5,
    async (call) => {
      await call('/api/v1/chat', { body: '{"user_prompt": ' });
      await call('/api/v1/chat', { body: turn(fresh(), { conversation_flow: 'unknown' }) });
      await call('/api/v1/chat', { body: `"${'x'.repeat(3_000_000)}"` });
      await call(`/api/v1/runs/${fresh()}`, { method: 'GET' });
    },
  ],
};

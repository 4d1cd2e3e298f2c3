/** A service for LangGraph's client that is killed at a transaction and restarts on the same port. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { type Provider, scriptedProvider } from '../support/provider.ts';
import { KILL_AT } from '../support/test-state.ts';
import type { Commit } from './lane.ts';
import { nodeOf, relaying, writeRelay } from './relay-graph.ts';

export interface ReceivedChunk {
  id: string | undefined;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  data: any;
}

export interface ProtocolLane {
  client: Client;
  provider: Provider;
  /** Whether the service was killed at the transaction during `work`. It restarts immediately. */
  killedDuring(kill: Commit, work: () => Promise<unknown>): Promise<boolean>;
  /** The stream of a new run in LangGraph's client, until it ends or the client gives up. */
  streamed(
    threadId: string,
    question: string,
    onChunk?: (one: ReceivedChunk) => void,
  ): Promise<ReceivedChunk[]>;
  /** The nodes that called the model after this number of calls. */
  calls(since: number): string[];
  close(): Promise<void>;
}

// Larger values are in the log as a reference to their checkpoint.
const LONG = 'x'.repeat(5_000);
const MODES = ['values', 'updates', 'messages-tuple', 'messages', 'custom', 'debug'] as const;

export const asking = (question: string) => ({
  messages: [{ type: 'human', id: question, content: `${question} ${LONG}` }],
});

/** `apart`: no two writes share a transaction. */
export async function openProtocolLane(transactions: 'shared' | 'apart'): Promise<ProtocolLane> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-protocol-'));
  await writeRelay(folder);
  const provider = scriptedProvider(relaying);
  const env = {
    ...{ OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'secret-key' },
    ...(transactions === 'apart' && { COMMIT_AT_ONCE: 'yes' }),
  };
  const port = String(freePort());
  const start = () => spawnService(folder, env, { preload: KILL_AT, port });
  let service: ServiceProcess = await start();
  const client = new Client({ apiUrl: service.url, apiKey: null, callerOptions: { fetch: asInNode } });

  return {
    client,
    provider,
    async killedDuring({ moment, kind, number }, work) {
      const target = join(folder, 'kill-at');
      await Bun.write(target, `${moment} ${kind} ${number}`);
      let isOver = false;
      const again = service.exited.then(async () => {
        if (!isOver) service = await start();
      });
      // The error is thrown when the promise is awaited.
      again.catch(() => {});
      await work();
      // The service removes it before it dies.
      const killed = !existsSync(target);
      isOver = !killed;
      if (killed) await again;
      else rmSync(target);
      return killed;
    },
    async streamed(threadId, question, onChunk = () => {}) {
      const all: ReceivedChunk[] = [];
      const options = { input: asking(question), streamMode: [...MODES], streamSubgraphs: true };
      try {
        const stream = client.runs.stream(threadId, 'relay', { ...options, onDisconnect: 'continue' });
        for await (const one of stream) {
          all.push(one as ReceivedChunk);
          onChunk(one as ReceivedChunk);
        }
      } catch (error) {
        // The service was killed before its response: only then, the client doesn't know where to rejoin.
        if (all.length > 0) throw error;
      }
      return all;
    },
    calls: (since) => provider.requests.slice(since).map(nodeOf),
    async close() {
      service.kill('SIGKILL');
      await service.exited;
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The client recognizes a refused connection by the messages of Node and browsers, and then retries. */
async function asInNode(...args: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(...args);
  } catch (cause) {
    throw new TypeError('fetch failed', { cause });
  }
}

function freePort(): number {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  const { port } = server;
  void server.stop(true);
  return port ?? 0;
}

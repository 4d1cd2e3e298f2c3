/** Servers in separate processes on one PostgreSQL database, with one provider. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '../support/listener.ts';
import { freshDatabase } from '../support/postgres-database.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { type Provider, type Script, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';

export interface Member extends ServiceProcess {
  /** Its calls of the provider have this name as their API key. */
  name: string;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  get(path: string): Promise<any>;
  delete(path: string): Promise<Response>;
  /** The events of a run after a number, until the stream ends. */
  events(runId: string, after?: number, onEvents?: Parameters<typeof listen>[1]): ReturnType<typeof listen>;
}

export interface Cluster {
  provider: Provider;
  start(env?: Record<string, string>): Promise<Member>;
  /** The log lines of all servers that contain a text. */
  logged(text: string): string[];
  /** Kills all remaining servers. */
  close(): Promise<void>;
}

export interface ClusterOptions {
  script: Script;
  leaseSeconds: number;
  write(folder: string): Promise<void>;
  /** Returns the database's address for a server's name. If it is undefined, an empty database is created. */
  urlOf?(name: string): Promise<string>;
}

export async function openCluster({ script, leaseSeconds, write, urlOf }: ClusterOptions): Promise<Cluster> {
  const provider = scriptedProvider(script);
  const database = urlOf ? undefined : await freshDatabase();
  const folders: string[] = [];
  const members: Member[] = [];
  return {
    provider,
    async start(env = {}) {
      const folder = mkdtempSync(join(tmpdir(), 'skein-cluster-'));
      const name = `server-${folders.push(folder)}`;
      await write(folder);
      const started = await spawnService(folder, {
        ...providerEnv(provider.url),
        LLM_PROVIDER_API_KEY: name,
        SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
        SERVICE_CHAT_HISTORY__CONNECTION_STRING: database?.url ?? (await urlOf?.(name)) ?? '',
        SERVICE_CHAT_HISTORY__POOL_SIZE: '4',
        // The model sees the whole thread.
        SERVICE_MEMORY__WINDOW_MESSAGES: '1000',
        SERVICE_MEMORY__WINDOW_TOKENS: '100000',
        SERVICE_CLUSTER__LEASE_SECONDS: `${leaseSeconds}`,
        SERVICE_TELEMETRY__LOG_LEVEL: 'warn',
        ...env,
      });
      const made = member(started, name);
      members.push(made);
      return made;
    },
    logged: (text) =>
      members.flatMap(({ name, output }) =>
        output()
          .split('\n')
          .filter((line) => line.includes(text))
          .map((line) => `${name}: ${line}`),
      ),
    async close() {
      for (const one of members) one.kill('SIGKILL');
      await Promise.all(members.map(({ exited }) => exited));
      await provider.close();
      await database?.drop();
      for (const folder of folders) rmSync(folder, { recursive: true });
    },
  };
}

function member(service: ServiceProcess, name: string): Member {
  const call = (path: string, init: RequestInit = {}) => fetch(`${service.url}/api/v1${path}`, init);
  return {
    ...service,
    name,
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    get: async (path) => (await call(path)).json(),
    delete: (path) => call(path, { method: 'DELETE' }),
    events: async (runId, after = 0, onEvents = undefined) =>
      listen(await call(`/runs/${runId}/stream`, { headers: { 'last-event-id': `${after}` } }), onEvents),
  };
}

export const ASYNC = { prefer: 'respond-async' };
export const STREAM = { accept: 'text/event-stream' };

/** Starts the real service in this process on a real socket, with its state in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openService, type Service } from '../../cli/service/open-service.ts';
import type { ConnectionTimes } from '../../server/listener.ts';
import { serve } from '../../server/serve.ts';
import { loadSettings } from '../../settings/load.ts';
import type { ErrorBody } from '../../state/errors.ts';
import { stateEnv } from './test-state.ts';

export interface TestService {
  url: string;
  folder: string;
  service: Service;
  /** Posts to /api/v1/chat. Default workflow: classification. */
  chat(body: object, headers?: Record<string, string>, signal?: AbortSignal): Promise<Answer>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response
  body: any;
}

export interface TestOptions {
  /** The content of config.yml. */
  config?: string;
  env?: Record<string, string>;
  /** A folder to reuse, which is not removed. */
  folder?: string;
  /** Project workflows by name: the text of their `graph.ts` after the imports. */
  graphs?: Record<string, string>;
  /** Idle time after which connections are closed. */
  times?: ConnectionTimes;
}

export async function testService(options: TestOptions = {}): Promise<TestService> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'skein-test-'));
  await Bun.write(join(folder, 'config.yml'), options.config ?? '');
  await writeGraphs(folder, options.graphs ?? {});
  const env = {
    SERVICE_TELEMETRY__LOG_LEVEL: 'silent',
    ...WITHOUT_SAMPLES,
    ...(await stateEnv(folder)),
    WEB_PORT: '0',
    ...options.env,
  };
  const loaded = loadSettings({ cwd: folder, env, flags: {} });
  const service = await openService(loaded);
  const web = { ...loaded.settings.web_configuration, host: '127.0.0.1' };
  const server = serve(service.app, web, options.times);
  const url = `${web.tls ? 'https' : 'http'}://127.0.0.1:${server.port}${web.base_path}`;
  await service.start(url);
  const call = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  return {
    url,
    folder,
    service,
    fetch: call,
    async chat(body, headers = {}, signal) {
      const response = await call('/api/v1/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ conversation_flow: 'classification-agent', ...body }),
        signal,
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    async close() {
      await service.close(0);
      await server.stop(true);
      if (options.folder === undefined) rmSync(folder, { recursive: true });
    },
  };
}

/** Off by default, because creating the sample database and documents starts a process each. */
export const WITHOUT_SAMPLES = {
  SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false',
  SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'false',
};
export const SAMPLE_DATABASE = { SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' };

const WORKFLOW = join(import.meta.dir, '../../graphs/skein.ts');

/** Writes project workflows; each text follows the imports. */
export async function writeGraphs(folder: string, graphs: Record<string, string>): Promise<void> {
  const imports = `import { AgentWork, AIMessage, Annotation, Command, Conversation, END, getStore, interrupt, readJson, Send, SkeinError, START, StateGraph, Type, workflow } from '${WORKFLOW}';`;
  for (const [name, text] of Object.entries(graphs))
    await Bun.write(join(folder, 'graphs', name, 'graph.ts'), `${imports}\n${text}`);
}

/** Settings for using a provider. */
export function providerEnv(url: string): Record<string, string> {
  return { LLM_PROVIDER_BASE_URL: url, LLM_PROVIDER_API_KEY: 'secret-key', LLM_PROVIDER_MODEL: 'test-model' };
}

export type { ErrorBody };

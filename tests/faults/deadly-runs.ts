/** Workflows that end their own process, and a service that is restarted until it stays up. */
import { afterAll, afterEach, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeardEvent, listen } from '../support/listener.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { type Provider, scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { stateEnv } from '../support/test-state.ts';
import { saying, writeWorkflows } from './killed-workflows.ts';

export interface DeadlyRuns {
  provider: Provider;
  /** A folder with the workflows. */
  project(name: string): Promise<string>;
  /** Sends the question that ends the process; returns the received events of the run. */
  askDeadly(folder: string, prompt: string, workflow: string): Promise<HeardEvent[]>;
  /** Starts the service until one stays up; returns its address, the number of failed starts, and the events of the run. */
  startUntilAlive(
    folder: string,
    runId: unknown,
  ): Promise<{ url: string; deaths: number; events: HeardEvent[] }>;
}

/** Its services end after each test. */
export function deadlyRuns(): DeadlyRuns {
  const root = mkdtempSync(join(tmpdir(), 'skein-deadly-'));
  const provider = scriptedProvider(saying);
  const env = { ...WITHOUT_SAMPLES, ...providerEnv(provider.url) };
  const running = new Set<ServiceProcess>();

  afterEach(async () => {
    for (const service of running) {
      service.kill('SIGKILL');
      await service.exited;
    }
    running.clear();
  });
  afterAll(async () => {
    await provider.close();
    rmSync(root, { recursive: true });
  });

  return {
    provider,
    async project(name) {
      const folder = join(root, name);
      await writeWorkflows(folder);
      return folder;
    },
    async askDeadly(folder, prompt, workflow) {
      const service = await spawnService(folder, env);
      running.add(service);
      const heard = await listen(await chat(service.url, prompt, workflow));
      expect(await service.exited).toBe(null);
      expect(heard[0]).toMatchObject({ id: 1, event: 'run' });
      return heard;
    },
    async startUntilAlive(folder, runId) {
      for (let deaths = 0; deaths < 20; deaths++) {
        const own = { ...env, ...(await stateEnv(folder)) };
        const child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, own);
        const url = await listeningOrDead(child);
        if (url === undefined) continue;
        running.add({ ...child, url });
        const events = await streamed(url, runId).catch(() => []);
        if (events.at(-1)?.event === 'end') return { url, deaths, events };
        expect(await child.exited).toBe(null);
      }
      throw new Error('it dies at every start');
    },
  };
}

export const chat = (url: string, user_prompt: string, conversation_flow: string) =>
  fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ user_prompt, thread_id: 't', conversation_flow, stream: true }),
  });

export async function streamed(url: string, runId: unknown, after = 0): Promise<HeardEvent[]> {
  return listen(
    await fetch(`${url}/api/v1/runs/${runId}/stream`, { headers: { 'last-event-id': `${after}` } }),
  );
}

/** The run may end the process before it listens. */
async function listeningOrDead(child: ReturnType<typeof spawnCommand>): Promise<string | undefined> {
  for await (const _ of child.lines) {
    const url = /listening on (\S+)/.exec(child.output())?.[1];
    if (url) return url;
  }
  return undefined;
}

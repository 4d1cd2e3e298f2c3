/** A service that is repeatedly killed during a run and restarted on the same state. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, type ReceivedEvent } from '../support/listener.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';
import { KILL_AT } from '../support/test-state.ts';
import { type Held, hold } from './held-call.ts';
import { agentOf, saying, writeWorkflows } from './killed-workflows.ts';
import { progressIn } from './stored-progress.ts';

/** The form of the client's request; the response to `async` is a 202. */
export type Form = 'stream' | 'async' | 'json';

/** Repeats have the same key. */
export interface Asked {
  path: string;
  body: object;
  key: string;
}

/** A kind of transaction: it accepts the run, stores a finished agent, does anything else, or ends the run. */
export interface Commit {
  moment: 'before' | 'after';
  kind: 'accept' | 'agent' | 'other' | 'end';
  /** Counted from 1 within its kind. */
  number: number;
}

/** The service kills itself around a transaction, or is killed while an agent waits for its model. */
export type Kill = Commit | Held;

export interface Crash {
  /** False if the run ended before it reached the kill point. */
  killed: boolean;
  /** The id of the run and its events, as far as the client had received them. */
  runId: string | undefined;
  received: ReceivedEvent[];
  /** The agents that had called their model. */
  calls: string[];
  /** The number of finished agents of the run in the state. */
  finished: number;
  /** Whether the end of the run is stored. */
  ended: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
export type Answer = any;

export interface Recovery {
  /** The events of a client that rejoined, before and after the kill. */
  events: ReceivedEvent[];
  /** The response to a repeated request. */
  answer: Answer;
  /** The agents that called their model for the run, in both processes. */
  calls: string[];
}

export interface Lane {
  /** Sends the request and waits until the service is dead. If the run ends before the kill point, the service stays alive. */
  crash(request: Asked, form: Form, kill: Kill): Promise<Crash>;
  /** Restarts the service, and follows the run until it has ended. */
  recover(request: Asked, crashed: Crash): Promise<Recovery>;
  /** Sends a request without a kill; returns the answer and the provider's requests for it. */
  ask(request: Asked): Promise<{ answer: Answer; shown: { role: string; content: string }[][] }>;
  close(): Promise<void>;
}

const HEADERS: Record<Form, Record<string, string>> = {
  stream: { accept: 'text/event-stream' },
  async: { prefer: 'respond-async' },
  json: {},
};

/** `apart`: no two writes share a transaction. */
export async function openLane(transactions: 'shared' | 'apart'): Promise<Lane> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-kill-'));
  await writeWorkflows(folder);
  const provider = scriptedProvider(saying);
  const env: Record<string, string> = transactions === 'apart' ? { COMMIT_AT_ONCE: 'yes' } : {};
  const own = { ...providerEnv(provider.url), ...env };
  const start = () => spawnService(folder, own, { preload: KILL_AT });
  const callsFrom = (index: number) => provider.requests.slice(index).map(agentOf);
  let service: ServiceProcess = await start();
  let earlier = 0;

  function post({ path, body, key }: Asked, form: Form): Promise<Response> {
    return fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...HEADERS[form] },
      body: JSON.stringify(body),
    });
  }

  /** Waits for the response, or until the connection is lost. */
  async function send(request: Asked, form: Form, hears: (events: ReceivedEvent[]) => void) {
    try {
      const response = await post(request, form);
      if (form === 'stream') {
        const received = await listen(response, hears);
        const runId = received[0]?.data.run_id as string | undefined;
        return { answered: received.at(-1)?.event === 'end', runId, received };
      }
      const { run_id: runId } = (await response.json()) as Answer;
      // Waits for the end without a stream, because a listener would change when events are written.
      const lost = form === 'async' && (await post(request, 'json').catch(() => undefined)) === undefined;
      return { answered: !lost, runId, received: [] };
    } catch {
      return { answered: false, runId: undefined, received: [] };
    }
  }

  async function kill(): Promise<void> {
    service.kill('SIGKILL');
    await service.exited;
    await service.errors;
  }

  return {
    async crash(request, form, at) {
      earlier = provider.requests.length;
      const target = join(folder, 'kill-at');
      if ('kind' in at) await Bun.write(target, `${at.moment} ${at.kind} ${at.number}`);
      const held = 'agent' in at ? hold(provider, at, () => service.kill('SIGKILL')) : undefined;
      const { answered, runId, received } = await send(request, form, (events) => held?.onEvents(events));
      const killed = !answered;
      held?.end();
      if (killed) await kill();
      rmSync(target, { force: true });
      return {
        killed,
        runId,
        received,
        calls: callsFrom(earlier),
        ...(await progressIn(folder, request.key)),
      };
    },
    async recover(request, { runId, received }) {
      service = await start();
      const headers = { 'last-event-id': String(received.at(-1)?.id ?? 0) };
      const rejoin = async (id: string) =>
        listen(await fetch(`${service.url}/api/v1/runs/${id}/stream`, { headers }));
      const rejoined = runId === undefined ? undefined : rejoin(runId);
      const answer = (await (await post(request, 'json')).json()) as Answer;
      const rest = await (rejoined ?? rejoin(answer.run_id));
      return { events: [...received, ...rest], answer, calls: callsFrom(earlier) };
    },
    async ask(request) {
      const before = provider.requests.length;
      const response = await post(request, 'json');
      const answer = (await response.json()) as Answer;
      if (!response.ok) throw new Error(`not even undisturbed: ${JSON.stringify(answer)}`);
      return { answer, shown: provider.requests.slice(before).map(({ messages }) => messages) };
    },
    async close() {
      await kill();
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

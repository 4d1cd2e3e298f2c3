/** Runs that end their own process at every start: without progress they fail in the end, with progress they go on. */
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HeardEvent, listen } from '../support/listener.ts';
import { type ServiceProcess, spawnCommand, spawnService } from '../support/process.ts';
import { scriptedProvider } from '../support/provider.ts';
import { providerEnv, WITHOUT_SAMPLES } from '../support/service.ts';
import { saying, writeWorkflows } from './killed-workflows.ts';

// It starts many services, on a machine that may be busy.
setDefaultTimeout(300_000);

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

async function project(name: string): Promise<string> {
  const folder = join(root, name);
  await writeWorkflows(folder);
  return folder;
}

async function start(folder: string): Promise<ServiceProcess> {
  const service = await spawnService(folder, env);
  running.add(service);
  return service;
}

const chat = (url: string, user_prompt: string, conversation_flow: string) =>
  fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ user_prompt, thread_id: 't', conversation_flow, stream: true }),
  });

/** Asks what ends the process; gives what was heard of the run. */
async function askDeadly(folder: string, prompt: string, workflow: string): Promise<HeardEvent[]> {
  const service = await start(folder);
  const heard = await listen(await chat(service.url, prompt, workflow));
  expect(await service.exited).toBe(null);
  expect(heard[0]).toMatchObject({ id: 1, event: 'run' });
  return heard;
}

/** Starts the service until one lives; gives it, and how many did not. */
async function startUntilAlive(folder: string, runId: unknown) {
  for (let deaths = 0; deaths < 20; deaths++) {
    const child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, env);
    const url = await listeningOrDead(child);
    if (url === undefined) continue;
    running.add({ ...child, url });
    const events = await streamed(url, runId).catch(() => []);
    if (events.at(-1)?.event === 'end') return { url, deaths, events };
    expect(await child.exited).toBe(null);
  }
  throw new Error('it dies at every start');
}

/** The run may end the process before it listens. */
async function listeningOrDead(child: ReturnType<typeof spawnCommand>): Promise<string | undefined> {
  for await (const _ of child.lines) {
    const url = /listening on (\S+)/.exec(child.output())?.[1];
    if (url) return url;
  }
  return undefined;
}

async function streamed(url: string, runId: unknown, after = 0): Promise<HeardEvent[]> {
  return listen(
    await fetch(`${url}/api/v1/runs/${runId}/stream`, { headers: { 'last-event-id': `${after}` } }),
  );
}

test('a run that kills its process three times in a row is failed at the next start, and the service stays up', async () => {
  const folder = await project('deadly');
  const heard = await askDeadly(folder, 'Die.', 'deadly');
  const { run_id } = heard[0]?.data ?? {};
  const { url, deaths } = await startUntilAlive(folder, run_id);
  expect(deaths).toBe(2);
  const events = [...heard, ...(await streamed(url, run_id, heard.at(-1)?.id))];
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  const message =
    'The process ended three times in a row while this run made no progress; it is not tried again';
  expect(events.slice(-2)).toMatchObject([
    { event: 'error', data: { error_code: 'RUN_CRASHED', message } },
    { event: 'end' },
  ]);
  const run = await fetch(`${url}/api/v1/runs/${run_id}`);
  expect(await run.json()).toMatchObject({ status: 'failed', error: { error_code: 'RUN_CRASHED' } });
  const next = await chat(url, 'Live.', 'deadly');
  expect((await listen(next)).at(-2)).toMatchObject({ event: 'response' });
  // Nothing that was asked before is in the thread's memory.
  expect(provider.requests.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ['You are deadly', 'Live.'],
  ]);
});

test.each([
  ['agents', 'stubborn', ['one', 'two', 'three']],
  ['steps of an agent', 'stepwise', ['worker']],
])(
  'a run whose %s end the process twice each makes progress, and is answered',
  async (_, workflow, agents) => {
    const folder = await project(workflow);
    const heard = await askDeadly(folder, 'Die twice.', workflow);
    const { deaths, events } = await startUntilAlive(folder, heard[0]?.data.run_id);
    expect(deaths).toBe(5);
    expect(events.at(-2)?.event).toBe('response');
    const { outputs } = events.at(-2)?.data ?? {};
    expect(outputs).toMatchObject(agents.map((agent) => ({ agent })));
  },
);

test('a step of an agent that always ends the process counts as one place', async () => {
  const folder = await project('one-step');
  const heard = await askDeadly(folder, 'Die always.', 'stepwise');
  const { deaths, events } = await startUntilAlive(folder, heard[0]?.data.run_id);
  expect(deaths).toBe(2);
  expect(events.at(-2)).toMatchObject({ event: 'error', data: { error_code: 'RUN_CRASHED' } });
});

/** How exactly the service keeps its times: deadlines, clients that leave, a provider that is down, SIGTERM, kill -9, and a hostile body. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Provider, scriptedProvider } from '../tests/support/provider.ts';
import { median } from './load.ts';
import { type Running, startSkein } from './processes.ts';

const ROUNDS = 20;
const DOWNTIMES = 3;
const STOPS = 5;
const LEFT_RUNS = 50;
const CALL_SECONDS = 0.5;
const RUN_SECONDS = 1;
const MIB = 1_048_576;

const never = () => new Promise<Response>(() => {});
const answer = () => 'Four.';

export async function bounds(): Promise<string> {
  const provider = scriptedProvider(answer);
  const endpoint = { url: provider.url.replace(/\/v1$/, '') };
  const service = await startSkein(undefined, {
    SERVICE_MODELS__0__MODEL: 'm',
    SERVICE_MODELS__0__BASE_URL: provider.url,
    SERVICE_MODELS__0__TIMEOUT_SECONDS: String(CALL_SECONDS),
  });
  const patient = await startSkein(endpoint);
  try {
    const rows = [
      ['a model call ends after its timeout of 0.5 s', await callDeadline(service, provider)],
      ['a run ends after its deadline of 1 s', await runDeadline(patient, provider)],
      ['a model call is aborted after its client disconnects', await leaving(patient, provider)],
      ['a turn is answered after the provider recovers', await downtime(patient, provider)],
    ] as const;
    const memory = await hostileBody(patient);
    const stops = await stopping(provider, endpoint);
    const recovery = await recovering(provider, endpoint);
    return `## Times that the service keeps

| delay until | median, ms | longest, ms |
|---|---|---|
${[...rows, ['a process exits after SIGTERM, and after the last of its 16 answers', stops] as const].map(([what, times]) => `| ${what} | ${median(times).toFixed(1)} | ${Math.max(...times).toFixed(1)} |`).join('\n')}

${ROUNDS} times each, ${STOPS} times for SIGTERM and ${DOWNTIMES} times for the provider; none ends early. After \`kill -9\` with ${LEFT_RUNS} runs in progress, the next
process listens after ${recovery.ready.toFixed(0)} ms, and the last of the runs has succeeded after ${recovery.done.toFixed(0)} ms. A hostile body of 4 MiB with
characters beyond Latin-1 uses at most ${memory.toFixed(0)} MiB of resident memory (8 bodies; the goal is 64). The machine is shared with other work.
`;
  } finally {
    await patient.stop();
    await service.stop();
    await provider.close();
  }
}

async function callDeadline(service: Running, provider: Provider): Promise<number[]> {
  provider.script = never;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const time = await failing(service, {});
    if (time < CALL_SECONDS * 1_000) throw new Error(`a call ended after ${time} ms`);
    times.push(time - CALL_SECONDS * 1_000);
    await closedBreaker(service, provider);
    provider.script = never;
  }
  return times;
}

async function runDeadline(service: Running, provider: Provider): Promise<number[]> {
  provider.script = never;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const time = await failing(service, { deadline_seconds: RUN_SECONDS });
    if (time < RUN_SECONDS * 1_000) throw new Error(`a run ended after ${time} ms`);
    times.push(time - RUN_SECONDS * 1_000);
  }
  return times;
}

async function leaving(service: Running, provider: Provider): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const reached = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<number>();
    provider.script = () => (signal) => {
      signal.addEventListener('abort', () => aborted.resolve(performance.now()));
      reached.resolve();
      return never();
    };
    const client = new AbortController();
    const asked = post(service, {}, client.signal).catch(() => undefined);
    await reached.promise;
    const left = performance.now();
    client.abort();
    await asked;
    times.push((await aborted.promise) - left);
  }
  return times;
}

/** Five failed calls open the breaker. */
async function downtime(service: Running, provider: Provider): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < DOWNTIMES; round++) {
    provider.script = () => new Response('down', { status: 503 });
    for (let call = 0; call < 5; call++) await failing(service, {});
    const back = performance.now();
    await closedBreaker(service, provider);
    times.push(performance.now() - back);
  }
  return times;
}

async function closedBreaker(service: Running, provider: Provider): Promise<void> {
  provider.script = answer;
  while ((await post(service, {})).status !== 200) await Bun.sleep(20);
}

/** The largest growth of resident memory by a body. */
async function hostileBody(service: Running): Promise<number> {
  const thread_id = `€${'x'.repeat(4 * MIB - 300)}`;
  const memory = async () => {
    const response = await fetch(`${service.url}/api/v1/diagnostic`);
    return ((await response.json()) as { runtime: { memory_bytes: number } }).runtime.memory_bytes;
  };
  const grown: number[] = [];
  for (let round = 0; round < 8; round++) {
    const before = await memory();
    if ((await post(service, { thread_id })).status !== 400) throw new Error('the body was taken');
    grown.push((await memory()) - before);
  }
  return Math.max(...grown) / MIB;
}

async function stopping(provider: Provider, endpoint: { url: string }): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < STOPS; round++) {
    const service = await startSkein(endpoint);
    const held = Promise.withResolvers<void>();
    let calls = 0;
    const reached = Promise.withResolvers<void>();
    provider.script = async () => {
      if (++calls === 16) reached.resolve();
      await held.promise;
      return answer();
    };
    const turns = Array.from({ length: 16 }, () => post(service, {}));
    await reached.promise;
    process.kill(service.pid, 'SIGTERM');
    while ((await fetch(`${service.url}/readyz`)).status === 200) await Bun.sleep(5);
    held.resolve();
    for (const { status } of await Promise.all(turns)) if (status !== 200) throw new Error(`${status}`);
    const answered = performance.now();
    if ((await service.exited) !== 0) throw new Error('the exit code is not 0');
    times.push(performance.now() - answered);
    await service.stop();
  }
  return times;
}

async function recovering(provider: Provider, endpoint: { url: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-left-'));
  const env = { SERVICE_CHAT_HISTORY__DATABASE_PATH: join(folder, 'state.db') };
  const first = await startSkein(endpoint, env);
  let calls = 0;
  const reached = Promise.withResolvers<void>();
  provider.script = () => {
    if (++calls === LEFT_RUNS) reached.resolve();
    return never();
  };
  for (let run = 0; run < LEFT_RUNS; run++) await post(first, {}, undefined, { prefer: 'respond-async' });
  await reached.promise;
  await first.stop();
  provider.script = answer;
  const began = performance.now();
  const second = await startSkein(endpoint, env);
  const succeeded = async () => {
    const page = await fetch(`${second.url}/api/v1/runs?status=succeeded&limit=100`);
    return ((await page.json()) as { runs: object[] }).runs.length;
  };
  while ((await succeeded()) < LEFT_RUNS) await Bun.sleep(10);
  const done = performance.now() - began;
  await second.stop();
  rmSync(folder, { recursive: true });
  return { ready: second.readyAfter, done };
}

/** Milliseconds until a turn has failed. */
async function failing(service: Running, more: object): Promise<number> {
  const began = performance.now();
  const response = await post(service, more);
  await response.text();
  if (response.status !== 500) throw new Error(`a turn ended with ${response.status}`);
  return performance.now() - began;
}

function post(
  { url }: Running,
  more: object,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/api/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(signal && { signal }),
    body: JSON.stringify({
      ...{
        user_prompt: 'What is two and two?',
        conversation_flow: 'one-agent',
        thread_id: crypto.randomUUID(),
      },
      ...more,
    }),
  });
}

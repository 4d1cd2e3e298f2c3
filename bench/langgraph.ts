/** LangGraph's protocol: this service compared with LangGraph's server, with the same graph and the same client. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { median, quantile } from './load.ts';
import { type Running, start, startProvider, startSkein } from './processes.ts';

const SECONDS = 3;
// The reference writes its memory to disk a few seconds after a request. Wait, so that this doesn't slow down Skein's round.
const REST_MS = 4_500;
const ROUNDS = 3;
const GRAPH = 'message-state';
const INPUT = { messages: [{ role: 'human', content: 'What is two and two?' }] };

export async function langgraph(): Promise<string> {
  const provider = await startProvider();
  const skein = await startSkein(provider);
  const reference = await startReference(provider);
  const rows: string[] = [];
  for (const way of ['wait', 'stream'] as const)
    for (const connections of [1, 16, 64]) rows.push(await row(skein, reference, { way, connections }));
  const [ours, theirs] = [await closing(skein), await closing(reference)];
  for (const { stop } of [reference, skein, provider]) await stop();
  return `## LangGraph's protocol, compared with LangGraph's server

A graph with one model call, each run on a new thread, through \`@langchain/langgraph-sdk\` in one client process that
shares the cores. The reference is \`@langchain/langgraph-api\` as \`langgraphjs dev\` runs it (10 workers, in memory). Skein writes
each run to disk.

| | connections | Skein, runs per second | p50 | reference | p50 | ratio |
|---|---|---|---|---|---|---|
${rows.join('\n')}

From the last event of a stream to its end: Skein ${ours}, reference ${theirs}.
`;
}

async function startReference(provider: Running): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'reference-bench-'));
  const node = Bun.which('node');
  if (!node) throw new Error('The reference server needs Node');
  const command = ['--import', 'tsx', join(import.meta.dir, 'reference-server.mjs'), folder];
  const env = { LLM_PROVIDER_BASE_URL: `${provider.url}/v1`, LANGSMITH_TRACING: 'false', LOG_LEVEL: 'error' };
  const running = await start(command, env, node);
  return {
    ...running,
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

interface Way {
  way: 'wait' | 'stream';
  connections: number;
}

async function row(skein: Running, reference: Running, way: Way): Promise<string> {
  const rounds: [Measured, Measured][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push([await measured(skein.url, way), await measured(reference.url, way)]);
    await Bun.sleep(REST_MS);
  }
  const rate = (index: 0 | 1) => median(rounds.map((round) => round[index].rate));
  const p50 = (index: 0 | 1) => `${median(rounds.map((round) => round[index].p50)).toFixed(1)} ms`;
  const ratios = rounds.map(([ours, theirs]) => ours.rate / theirs.rate);
  const spread = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
  return `| runs/${way.way} | ${way.connections} | ${rate(0).toFixed(0)} | ${p50(0)} | ${rate(1).toFixed(1)} | ${p50(1)} | **${median(ratios).toFixed(1)}** (${spread}) |`;
}

interface Measured {
  rate: number;
  p50: number;
}

async function measured(apiUrl: string, { way, connections }: Way): Promise<Measured> {
  const client = new Client({ apiUrl, apiKey: null, callerOptions: { maxConcurrency: connections } });
  const latencies: number[] = [];
  const began = performance.now();
  const end = began + SECONDS * 1000;
  const connection = async () => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      await run(client, way);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return {
    rate: (latencies.length / (performance.now() - began)) * 1000,
    p50: quantile(latencies, 0.5),
  };
}

async function run(client: Client, way: Way['way']): Promise<number> {
  const thread = crypto.randomUUID();
  const options = { input: INPUT, ifNotExists: 'create' as const };
  if (way === 'wait') {
    await client.runs.wait(thread, GRAPH, options);
    return 0;
  }
  let last = performance.now();
  let events = 0;
  const streamMode = ['values', 'messages-tuple'] as ('values' | 'messages-tuple')[];
  for await (const _ of client.runs.stream(thread, GRAPH, { ...options, streamMode })) {
    last = performance.now();
    events++;
  }
  if (events < 5) throw new Error(`A stream had only ${events} events`);
  return performance.now() - last;
}

/** The time between the last event and the end of a stream. */
async function closing({ url }: Running): Promise<string> {
  const client = new Client({ apiUrl: url, apiKey: null });
  const times: number[] = [];
  for (let index = 0; index < 10; index++) times.push(await run(client, 'stream'));
  return `${median(times).toFixed(1)} ms (at most ${Math.max(...times).toFixed(1)} ms)`;
}

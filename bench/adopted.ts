/** A graph that wasn't written for Skein: turn rates compared with a bare Elysia handler, and turn times on a long thread. */
import { median, turn } from './load.ts';
import { type Running, start, startProvider, startSkein } from './processes.ts';

const ROUNDS = 7;
const SECONDS = 2;
const TURNS = 520;
const AROUND = 20;
const WORKFLOW = 'message-state';

export async function adopted(): Promise<string> {
  const provider = await startProvider();
  const skein = await startSkein(provider);
  const bare = await start(['bench/bare-stream.ts'], { LLM_PROVIDER_BASE_URL: `${provider.url}/v1` });
  const rows: string[] = [];
  for (const stream of [false, true])
    for (const connections of [1, 16]) rows.push(await row(skein, bare, { stream, connections }));
  await bare.stop();
  const times: number[] = [];
  for (let index = 0; index < TURNS; index++)
    times.push(await turn(`${skein.url}/api/v1/chat`, 'growing', WORKFLOW));
  for (const { stop } of [skein, provider]) await stop();
  const at = (number: number) => median(times.slice(number - AROUND / 2, number + AROUND / 2));
  return `## A LangGraph graph that wasn't written for Skein

\`StateGraph(MessagesAnnotation)\` with ChatOpenAI in its one node, compiled and put into a folder. "Bare" is an Elysia
handler around the same graph with MemorySaver, with a JSON response or a stream of messages. Skein writes each turn to disk.

| | connections | Skein, turns per second | bare | ratio |
|---|---|---|---|---|
${rows.join('\n')}

Its message list grows without limit. On one thread, turn 10 takes ${at(10).toFixed(2)} ms and turn 500 ${at(500).toFixed(2)} ms: ${(at(500) / at(10)).toFixed(2)} times as long.
`;
}

interface Mode {
  stream: boolean;
  connections: number;
}

async function row(skein: Running, bare: Running, mode: Mode): Promise<string> {
  const urls = [`${skein.url}/api/v1/chat`, `${bare.url}/chat`] as const;
  for (const url of urls) await rate(url, mode);
  const rounds: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push([await rate(urls[0], mode), await rate(urls[1], mode)]);
  const ratios = rounds.map(([ours, theirs]) => ours / theirs);
  const of = (index: 0 | 1) => median(rounds.map((round) => round[index])).toFixed(0);
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  const kind = mode.stream ? 'stream' : 'JSON';
  return `| ${kind} | ${mode.connections} | ${of(0)} | ${of(1)} | **${median(ratios).toFixed(2)}** (${spread}) |`;
}

/** Complete answers per second. */
async function rate(url: string, { stream, connections }: Mode): Promise<number> {
  const began = performance.now();
  const end = began + SECONDS * 1000;
  let turns = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const request = { user_prompt: 'What is two and two?', conversation_flow: WORKFLOW };
      const body = JSON.stringify({ ...request, thread_id: crypto.randomUUID(), ...(stream && { stream }) });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body });
      const text = await response.text();
      if (!response.ok || (stream && !text.includes('event: end')))
        throw new Error(`The answer is incomplete: ${text}`);
      turns++;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return turns / ((performance.now() - began) / 1000);
}

/** Streams: added time to the first token, time to the end, rate compared with JSON, and memory per listener. */
import { load, median } from './load.ts';
import { type Running, startProvider, startSkein } from './processes.ts';

const TURNS = 200;
const ROUNDS = 7;
const SECONDS = 2;
const LISTENERS = 1_000;
const RUNS = 100;
const RUN_SECONDS = 12;

export async function streaming(): Promise<string> {
  const provider = await startProvider();
  const skein = await startSkein(provider);
  const chat = `${skein.url}/api/v1/chat`;
  await load(chat, 16, 2);
  await streamLoad(chat, 16, 2);
  const first = await firstToken(provider, chat);
  const ratio = await compareWithJson(chat);
  for (const { stop } of [skein, provider]) await stop();
  const weight = await listeners();
  return `## Streams

The first token arrives ${first.added.toFixed(2)} ms after the provider's (${first.direct.toFixed(2)} ms at the provider,
${first.streamed.toFixed(2)} ms through Skein; medians of ${TURNS} alternating turns), although the run is on disk before its first event is sent.
The body ends ${first.close.toFixed(2)} ms after its last event (p50; p99 ${first.slowestClose.toFixed(2)} ms).

| connections | streams per second | JSON turns per second | ratio |
|---|---|---|---|
${ratio.join('\n')}

${LISTENERS} listeners on ${RUNS} running threads use ${weight.kilobytes.toFixed(1)} KiB each in resident memory, and all ${weight.heard} receive the end.
`;
}

/** Alternates between the provider and the service, so that machine load affects both. */
async function firstToken(provider: Running, chat: string) {
  const [direct, streamed, closing]: number[][] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn++) {
    const request = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Two and two?' }] };
    direct?.push((await timed(`${provider.url}/v1/chat/completions`, request, '"content":"Two')).seen);
    const { seen, closed } = await timed(chat, turnOf(), 'event: token');
    streamed?.push(seen);
    closing?.push(closed);
  }
  const [at, through] = [median(direct ?? []), median(streamed ?? [])];
  const sorted = (closing ?? []).toSorted((a, b) => a - b);
  return {
    direct: at,
    streamed: through,
    added: through - at,
    close: median(sorted),
    slowestClose: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  };
}

/** Milliseconds until `text` is seen, and from the stream's last event to the end of the body. */
async function timed(url: string, body: object, text: string) {
  const began = performance.now();
  const response = await post(url, body);
  const decoder = new TextDecoder();
  let received = '';
  let seen = Number.NaN;
  let last = Number.NaN;
  for await (const piece of response.body ?? []) {
    received += decoder.decode(piece, { stream: true });
    if (Number.isNaN(seen) && received.includes(text)) seen = performance.now() - began;
    if (Number.isNaN(last) && received.includes('event: end')) last = performance.now();
  }
  return { seen, closed: performance.now() - last };
}

async function compareWithJson(chat: string): Promise<string[]> {
  const rows: string[] = [];
  for (const connections of [1, 16, 64]) {
    const rounds: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const streams = await streamLoad(chat, connections, SECONDS);
      rounds.push([streams, (await load(chat, connections, SECONDS)).turnsPerSecond]);
    }
    const ratios = rounds.map(([streams, json]) => streams / json);
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    const rate = (index: 0 | 1) => median(rounds.map((round) => round[index])).toFixed(0);
    rows.push(`| ${connections} | ${rate(0)} | ${rate(1)} | **${median(ratios).toFixed(2)}** (${spread}) |`);
  }
  return rows;
}

/** Complete streams per second over several connections. */
async function streamLoad(chat: string, connections: number, seconds: number): Promise<number> {
  const began = performance.now();
  const end = began + seconds * 1000;
  let turns = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const text = await (await post(chat, turnOf())).text();
      if (!text.endsWith('event: end\ndata: {}\n\n')) throw new Error(`The stream is incomplete: ${text}`);
      turns++;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return turns / ((performance.now() - began) / 1000);
}

async function listeners(): Promise<{ kilobytes: number; heard: number }> {
  const provider = await startProvider(RUN_SECONDS * 1000);
  const skein = await startSkein(provider);
  try {
    const runs = await Promise.all(Array.from({ length: RUNS }, () => background(skein.url)));
    const before = await resident(skein);
    const open = await Promise.all(
      Array.from({ length: LISTENERS }, (_, index) =>
        fetch(`${skein.url}/api/v1/runs/${runs[index % RUNS]}/stream`),
      ),
    );
    const kilobytes = ((await resident(skein)) - before) / 1024 / LISTENERS;
    const texts = await Promise.all(open.map((response) => response.text()));
    return { kilobytes, heard: texts.filter((text) => text.endsWith('event: end\ndata: {}\n\n')).length };
  } finally {
    await skein.stop();
    await provider.stop();
  }
}

async function background(url: string): Promise<string> {
  const response = await post(`${url}/api/v1/chat`, turnOf(), { prefer: 'respond-async' });
  return ((await response.json()) as { run_id: string }).run_id;
}

/** Resident memory in bytes after two seconds, when it has settled. */
async function resident({ pid }: Running): Promise<number> {
  await Bun.sleep(2_000);
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

const turnOf = () => ({
  user_prompt: 'What is two and two?',
  conversation_flow: 'one-agent',
  thread_id: crypto.randomUUID(),
  stream: true,
});

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

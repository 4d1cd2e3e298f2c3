/** Three times the load that the service can take: how much of its peak it still answers, and how fast it refuses the rest. */
import { load, median, quantile } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const ROUNDS = 7;
const SECONDS = 6;
/** Seconds before them in which the queue fills. They don't count for the goodput. */
const RAMP_UP_SECONDS = 1;
const FACTOR = 3;

interface Bounded {
  title: string;
  /** Milliseconds that the provider takes. */
  delay: number;
  running: number;
  queued: number;
}

// The first case shows the queue while processor time is free; in the second one, everything competes for it.
const CASES: Bounded[] = [
  { title: '8 slots, a provider that takes 100 ms', delay: 100, running: 8, queued: 16 },
  { title: 'processor, a provider that answers immediately', delay: 0, running: 32, queued: 64 },
];

export async function overload(): Promise<string> {
  const rows: string[] = [];
  for (const bounded of CASES) rows.push(await row(bounded));
  return `## Overload

For ${RAMP_UP_SECONDS + SECONDS} s, turns on new threads arrive at ${FACTOR} times the peak rate, whether or not earlier ones have been answered. The goodput
excludes the first second, in which the queue fills. The peak is the rate with as many connections as there are slots plus half the queue.
Medians of ${ROUNDS} alternating rounds; p99 of all refusals. The client shares the cores, and the machine is shared with other work.

| bounded by | peak, turns a second | goodput at ${FACTOR} times the peak | share of the peak | refused | refusal p50, ms | refusal p99, ms |
|---|---|---|---|---|---|---|
${rows.join('\n')}

The goals are 90 % of the peak and a refusal within 50 ms, with \`Retry-After\`.
`;
}

async function row({ title, delay, running, queued }: Bounded): Promise<string> {
  const provider = await startProvider(delay);
  const service = await startSkein(provider, {
    SERVICE_LIMITS__CONCURRENT_RUNS: String(running),
    SERVICE_LIMITS__QUEUED_RUNS: String(queued),
  });
  const url = `${service.url}/api/v1/chat`;
  const connections = running + queued / 2;
  await load(url, connections, SECONDS);
  const peaks: number[] = [];
  const outcomes: Outcome[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { turnsPerSecond } = await load(url, connections, SECONDS);
    peaks.push(turnsPerSecond);
    outcomes.push(await arrivals(url, turnsPerSecond * FACTOR));
  }
  for (const { stop } of [service, provider]) await stop();
  const refusals = outcomes.flatMap(({ refusals }) => refusals);
  const shares = outcomes.map(({ goodput }, round) => goodput / (peaks[round] ?? Number.NaN));
  const offered = outcomes.reduce((sum, one) => sum + one.offered, 0);
  return `| ${title} | ${median(peaks).toFixed(0)} | ${median(outcomes.map(({ goodput }) => goodput)).toFixed(0)} | **${(median(shares) * 100).toFixed(0)} %** | ${((refusals.length / offered) * 100).toFixed(0)} % | ${quantile(refusals, 0.5).toFixed(1)} | ${quantile(refusals, 0.99).toFixed(1)} |`;
}

interface Outcome {
  /** Turns per second that were answered while others arrived. */
  goodput: number;
  /** Milliseconds of each refusal. */
  refusals: number[];
  offered: number;
}

async function arrivals(url: string, rate: number): Promise<Outcome> {
  const began = performance.now();
  const filled = began + RAMP_UP_SECONDS * 1_000;
  const end = filled + SECONDS * 1_000;
  const refusals: number[] = [];
  let answered = 0;
  let offered = 0;
  const turns: Promise<void>[] = [];

  async function turn(): Promise<void> {
    const asked = performance.now();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user_prompt: 'What is two and two?',
        conversation_flow: 'one-agent',
        thread_id: crypto.randomUUID(),
      }),
    });
    const text = await response.text();
    const now = performance.now();
    if (response.status === 200) answered += filled <= now && now <= end ? 1 : 0;
    else if (response.status === 503 && response.headers.has('retry-after')) refusals.push(now - asked);
    else throw new Error(`${response.status} ${text}`);
  }

  while (performance.now() < end) {
    // Several may be due, because timers are only exact to a millisecond.
    const due = Math.floor(((performance.now() - began) / 1_000) * rate);
    for (; offered < due; offered++) turns.push(turn());
    await Bun.sleep(1);
  }
  await Promise.all(turns);
  return { goodput: answered / SECONDS, refusals, offered };
}

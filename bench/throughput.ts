/** Turns per second compared with a bare Elysia handler that awaits `graph.invoke` of the same graph with MemorySaver. */
import { load, median } from './load.ts';
import { startBare, startProvider, startSkein } from './processes.ts';

const CONNECTIONS = [1, 16, 64];
const ROUNDS = 7;
const SECONDS = 2;

export async function throughput(): Promise<string> {
  const provider = await startProvider();
  const running = await Promise.all([
    startSkein(provider),
    startBare('same', provider),
    startBare('plain', provider),
  ]);
  const urls = running.map(({ url }, index) => (index === 0 ? `${url}/api/v1/chat` : `${url}/chat`));
  for (const url of urls) await load(url, 16, 2);
  const rows: string[] = [];
  for (const connections of CONNECTIONS) {
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const rates: number[] = [];
      for (const url of urls) rates.push((await load(url, connections, SECONDS)).turnsPerSecond);
      rounds.push(rates);
    }
    rows.push(row(connections, rounds));
  }
  for (const { stop } of [...running, provider]) await stop();
  return `## Turns per second, one-agent graph

Skein writes each turn to disk (with its log synced) before it answers. "Same graph" is an Elysia handler that awaits
\`graph.invoke\` of the same graph with LangGraph's MemorySaver: nothing is durable. "Plain" is the handler as most people
write it, with ChatOpenAI in the node. Medians of ${ROUNDS} alternating rounds of ${SECONDS} s each; the ratio is
the median of the rounds' ratios, with the smallest and the largest in parentheses.

| connections | Skein | same graph, bare | ratio | plain, bare | ratio |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function row(connections: number, rounds: number[][]): string {
  const rate = (index: number) => median(rounds.map((rates) => rates[index] ?? Number.NaN)).toFixed(0);
  const ratio = (index: number) => {
    const ratios = rounds.map((rates) => (rates[0] ?? Number.NaN) / (rates[index] ?? Number.NaN));
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    return `**${median(ratios).toFixed(2)}** (${least.toFixed(2)} to ${most.toFixed(2)})`;
  };
  return `| ${connections} | ${rate(0)} | ${rate(1)} | ${ratio(1)} | ${rate(2)} | ${ratio(2)} |`;
}

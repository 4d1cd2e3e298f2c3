/** Turns that mostly wait for a slow provider. The processor is idle during that time, so the rate should be near the ideal. */
import { load, median } from './load.ts';
import { startBare, startProvider, startSkein } from './processes.ts';

const CONNECTIONS = 64;
const DELAY_MS = 200;
const ROUNDS = 5;
const SECONDS = 4;

export async function waiting(): Promise<string> {
  const provider = await startProvider(DELAY_MS);
  const service = await startSkein(provider);
  const bare = await startBare('same', provider);
  const urls = [`${service.url}/api/v1/chat`, `${bare.url}/chat`];
  for (const url of urls) await load(url, CONNECTIONS, 1);
  const rates: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, url] of urls.entries())
      rates[index]?.push((await load(url, CONNECTIONS, SECONDS)).turnsPerSecond);
  for (const { stop } of [service, bare, provider]) await stop();
  const ideal = (CONNECTIONS * 1000) / DELAY_MS;
  const [ours = Number.NaN, theirs = Number.NaN] = rates.map(median);
  const share = (rate: number) => `**${((rate / ideal) * 100).toFixed(0)} %**`;
  return `## ${CONNECTIONS} connections, a provider that takes ${DELAY_MS} ms

If only the provider took time, ${ideal.toFixed(0)} turns per second would be possible. Skein answers ${ours.toFixed(0)}, ${share(ours)} of that;
the same graph, bare, ${theirs.toFixed(0)}, ${share(theirs)} (medians of ${ROUNDS} alternating rounds of ${SECONDS} s each).
`;
}

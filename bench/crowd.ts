/** Many concurrent chats with a slow provider. */
import { median, quantile, turn } from './load.ts';
import { startProvider, startSkein } from './processes.ts';

const CHATS = 200;
const DELAY_MS = 500;

export async function crowd(): Promise<string> {
  const provider = await startProvider(DELAY_MS);
  const service = await startSkein(provider);
  const url = `${service.url}/api/v1/chat`;
  await Promise.all(Array.from({ length: CHATS }, () => turn(url, crypto.randomUUID())));
  const totals: number[] = [];
  const slowest: number[] = [];
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    const times = await Promise.all(Array.from({ length: CHATS }, () => turn(url, crypto.randomUUID())));
    totals.push(performance.now() - began);
    slowest.push(quantile(times, 0.99));
  }
  for (const { stop } of [service, provider]) await stop();
  return `## ${CHATS} concurrent chats, a provider that takes ${DELAY_MS} ms

All are answered after ${median(totals).toFixed(0)} ms; p99 of a chat ${median(slowest).toFixed(0)} ms (medians of 5 rounds).
`;
}

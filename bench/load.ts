/** Sends chat turns over several connections, each turn on a new thread. */

export interface Load {
  turnsPerSecond: number;
  /** Milliseconds, like `p99`. */
  p50: number;
  p99: number;
}

export async function load(url: string, connections: number, seconds: number): Promise<Load> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) latencies.push(await turn(url, crypto.randomUUID()));
    }),
  );
  const took = (performance.now() - began) / 1000;
  return {
    turnsPerSecond: latencies.length / took,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** Sends one turn; returns its time in milliseconds. */
export async function turn(
  url: string,
  thread: string,
  workflow = 'one-agent',
  user_prompt = 'What is two and two?',
): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      user_prompt,
      conversation_flow: workflow,
      thread_id: thread,
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return performance.now() - began;
}

export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]) => quantile(values, 0.5);

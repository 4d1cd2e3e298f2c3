/** Calls `GET /health` sequentially, at most 100 times per second, until `end`; returns the times in milliseconds. */
export async function health(url: string, end: number): Promise<number[]> {
  const times: number[] = [];
  while (performance.now() < end) {
    const began = performance.now();
    await (await fetch(`${url}/api/v1/health`)).text();
    times.push(performance.now() - began);
    await Bun.sleep(10);
  }
  return times;
}

/** Milliseconds of `GET /health`, one call after the other, a hundred a second at most, until `end`. */
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

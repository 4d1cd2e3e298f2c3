/** Polls a condition every few milliseconds until it holds, with a timeout. */

export async function until(holds: () => boolean | Promise<boolean>, milliseconds = 3_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${milliseconds} ms: ${holds}`);
    await Bun.sleep(2);
  }
}

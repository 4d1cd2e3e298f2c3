/** Maps a list with an async function, with limited concurrency. */

/** Model calls or turns of one trial that are in progress at the same time. */
const AT_ONCE = 4;

/** Returns the results in the order of the list. */
export async function mapConcurrently<T, R>(list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const remaining = list.entries();
  const worker = async () => {
    for (const [index, item] of remaining) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Works through a list, some of it at the same time. */

/** Parts of one trial that go on at the same time. */
const AT_ONCE = 4;

/** What the work gives, in the order of the list. */
export async function someAtOnce<T, R>(list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = list.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

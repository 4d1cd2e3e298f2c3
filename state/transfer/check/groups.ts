/** Reads rows that are ordered by thread, one thread at a time, in parallel with a scan of the threads (a merge join). */
import type { Reading, Row } from '../store.ts';

export interface Groups {
  /** The rows of a thread. Must be called in the order of threads. */
  of(thread: string): Promise<Row[]>;
  /** Must be called at the end. Reports the rows after the last thread as orphans. */
  rest(): Promise<void>;
}

export interface GroupsOptions {
  table: string;
  columns: string;
  /** Called for each group of rows whose thread was not requested. */
  orphan(thread: string, rows: number): void;
}

export function groups(reading: Reading, { table, columns, orphan }: GroupsOptions): Groups {
  const slices = reading.select({
    columns: `thread, ${columns}`,
    from: reading.table(table),
    order: 'thread',
  });
  const iterator = rowsOf(slices)[Symbol.asyncIterator]();
  let next: IteratorResult<Row> | undefined;

  async function takeWhile(isWanted: (thread: string) => boolean): Promise<Row[]> {
    next ??= await iterator.next();
    const rows: Row[] = [];
    while (!next.done && isWanted(String(next.value.thread))) {
      rows.push(next.value);
      next = await iterator.next();
    }
    return rows;
  }

  async function skipWhile(isBefore: (thread: string) => boolean): Promise<void> {
    let seen: string | undefined;
    let count = 0;
    for (;;) {
      next ??= await iterator.next();
      const thread: string | undefined = next.done ? undefined : String(next.value.thread);
      const isSkipped = thread !== undefined && isBefore(thread);
      if (seen !== undefined && thread !== seen) orphan(seen, count);
      if (!isSkipped) return;
      count = thread === seen ? count + 1 : 1;
      seen = thread;
      next = await iterator.next();
    }
  }

  return {
    async of(thread) {
      await skipWhile((one) => one < thread);
      return takeWhile((one) => one === thread);
    },
    rest: () => skipWhile(() => true),
  };
}

async function* rowsOf(slices: AsyncIterable<Row[]>): AsyncGenerator<Row> {
  for await (const rows of slices) yield* rows;
}

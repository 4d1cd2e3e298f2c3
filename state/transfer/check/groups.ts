/** Rows that are ordered by thread, read beside the threads themselves: those of one thread at a time. */
import type { Reading, Row } from '../store.ts';

export interface Groups {
  /** The rows of a thread; threads are asked for in order. */
  of(thread: string): Promise<Row[]>;
  /** To be called at the end: what comes after the last thread is of none. */
  rest(): Promise<void>;
}

export interface GroupsOptions {
  table: string;
  columns: string;
  /** Is called for each thread that was not asked for. */
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

  async function taken(isWanted: (thread: string) => boolean): Promise<Row[]> {
    next ??= await iterator.next();
    const rows: Row[] = [];
    while (!next.done && isWanted(String(next.value.thread))) {
      rows.push(next.value);
      next = await iterator.next();
    }
    return rows;
  }

  async function passOver(isBefore: (thread: string) => boolean): Promise<void> {
    let seen: string | undefined;
    let count = 0;
    for (;;) {
      next ??= await iterator.next();
      const thread: string | undefined = next.done ? undefined : String(next.value.thread);
      const isPassed = thread !== undefined && isBefore(thread);
      if (seen !== undefined && thread !== seen) orphan(seen, count);
      if (!isPassed) return;
      count = thread === seen ? count + 1 : 1;
      seen = thread;
      next = await iterator.next();
    }
  }

  return {
    async of(thread) {
      await passOver((one) => one < thread);
      return taken((one) => one === thread);
    },
    rest: () => passOver(() => true),
  };
}

async function* rowsOf(slices: AsyncIterable<Row[]>): AsyncGenerator<Row> {
  for await (const rows of slices) yield* rows;
}

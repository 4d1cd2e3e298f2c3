/** Splits a stream into tasks: a line of JSON, followed by its bytes. */
import type { Task } from './messages.ts';

export interface ReadTask {
  task: Task;
  bytes: Uint8Array;
  /** Resolves when the service has taken a part of the answer. */
  taken(): Promise<unknown>;
}

/** Ends with the stream; an incomplete task is dropped. */
export async function* readTasks(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReadTask> {
  const input = openInput(stream);
  for (let line = await input.line(); line; line = await input.line()) {
    const task = JSON.parse(Buffer.from(line).toString()) as Task;
    const bytes = await input.take(task.bytes);
    if (!bytes) return;
    yield { task, bytes, taken: input.line };
  }
}

const LINE_END = 10;

function openInput(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  let pieces: Uint8Array[] = [];
  let size = 0;

  async function more(): Promise<boolean> {
    const { value } = await reader.read();
    if (!value) return false;
    pieces.push(value);
    size += value.length;
    return true;
  }

  /** Takes the first `length` buffered bytes, and drops the next `skip` bytes. */
  function cut(length: number, skip = 0): Uint8Array {
    const all = Buffer.concat(pieces);
    const rest = all.subarray(length + skip);
    pieces = [rest];
    size = rest.length;
    return all.subarray(0, length);
  }

  return {
    async line(): Promise<Uint8Array | undefined> {
      for (;;) {
        const end = Buffer.concat(pieces).indexOf(LINE_END);
        if (end >= 0) return cut(end, 1);
        if (!(await more())) return undefined;
      }
    },
    // Join the pieces once, at the end: a document arrives in hundreds of them.
    async take(length: number): Promise<Uint8Array | undefined> {
      while (size < length) if (!(await more())) return undefined;
      return cut(length);
    },
  };
}

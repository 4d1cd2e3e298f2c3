/**
 * The service's side of a process that reads documents: sends one document at a time, and kills the process when it exceeds its
 * limits.
 */
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { readLines } from '../../../processes/read-lines.ts';
import { residentBytes, watchMemory } from '../../../processes/resident-memory.ts';
import { spawnIsolated } from '../../../processes/spawn-isolated.ts';
import { type TakePart, UnreadableDocument } from '../reader.ts';
import { countdown } from './countdown.ts';
import { type Answer, type Task, TOO_SLOW } from './messages.ts';

export interface Child {
  readonly pid: number;
  /** False if it has exited, or uses so much memory that the next document would not fit. */
  fit(): boolean;
  /**
   * Must be called for one document at a time. Throws UnreadableDocument or the signal's reason. If the process did not report
   * the failure itself, it has exited by then.
   */
  read(task: Task, bytes: Uint8Array, options: ReadOptions): Promise<void>;
  /** Current and later reads throw `reason`. */
  end(reason?: Error): Promise<void>;
}

interface ReadOptions {
  take: TakePart;
  signal?: AbortSignal | undefined;
}

const MAIN = join(import.meta.dir, 'process.ts');
// Enough for 64 passages of 200 tokens, with headings and escaping.
const MAX_ANSWER = 4_000_000;
// The wall clock limit is a multiple of the processor time, because the machine may be busy, but not less than a minimum.
const BUSY = 30;
const HANGING_SECONDS = 60;
// Writing copies the data synchronously, so write slices.
const SLICE = 256 * 1024;

export function startChild(maxMemory: number): Child {
  const isolated = spawnIsolated(MAIN, 'documents');
  const { child } = isolated;
  const answers = readLines(child.stdout, MAX_ANSWER);
  let ended = false;
  let endReason: Error | undefined;
  let stopReading: ((reason: Error) => void) | undefined;

  async function send(task: Task, bytes: Uint8Array): Promise<void> {
    await write(`${JSON.stringify(task)}\n`);
    for (let at = 0; at < bytes.length; at += SLICE) await write(bytes.subarray(at, at + SLICE));
  }

  async function write(some: string | Uint8Array): Promise<void> {
    try {
      // A write that cannot complete immediately returns a promise, which may reject.
      await child.stdin.write(some);
      await child.stdin.flush();
    } catch {
      // The process has exited, so the read that waits for its answer fails.
    }
  }

  async function read(task: Task, bytes: Uint8Array, { signal, take }: ReadOptions): Promise<void> {
    signal?.throwIfAborted();
    if (endReason) throw endReason;
    const { promise, reject } = Promise.withResolvers<never>();
    // It may be rejected after the race below is over.
    promise.catch(() => {});
    const stop = (reason: unknown) => {
      void end();
      reject(reason);
    };
    stopReading = stop;
    // A process that hangs may use no processor time. Time spent in `take` doesn't count.
    const most = Math.max(task.seconds * BUSY, HANGING_SECONDS);
    const timer = countdown(most * 1000, () => stop(hanging(most)));
    const abort = () => stop(signal?.reason);
    signal?.addEventListener('abort', abort);
    const unwatch = watchMemory(child.pid, maxMemory, () => stop(tooMuch()));
    let taking: Promise<void> = Promise.resolve();

    async function takeAll(): Promise<void> {
      for (;;) {
        const answer = await next().catch((cause) => broken(cause, task));
        if (answer.is === 'unreadable') throw new UnreadableDocument(answer.reason);
        if (answer.is === 'read') return;
        timer.pause();
        taking = take(answer.part);
        await taking;
        timer.resume();
        await write('\n');
      }
    }

    try {
      void send(task, bytes);
      await Promise.race([promise, takeAll()]);
    } finally {
      timer.clear();
      unwatch();
      signal?.removeEventListener('abort', abort);
      stopReading = undefined;
      // Wait for the current part, because the caller may undo the parts that it has taken after a failure.
      await taking.catch(() => end());
    }
  }

  /** Throws if the process has exited or its answer is not valid JSON. */
  async function next(): Promise<Answer> {
    const { value, done } = await answers.next();
    if (done) throw new Error('the process has exited');
    return JSON.parse(value) as Answer;
  }

  async function broken(cause: unknown, { seconds }: Task): Promise<never> {
    // Check first whether it has exited by itself, before it is killed here.
    const isTooSlow = (await endedBy(child)) === TOO_SLOW;
    void end();
    if (isTooSlow) throw tooSlow(seconds);
    throw new UnreadableDocument(
      'The process that reads it crashed, or the machine ran out of memory; it will be retried',
      { cause, mayPass: true },
    );
  }

  async function end(reason?: Error): Promise<void> {
    ended = true;
    endReason ??= reason;
    if (reason) stopReading?.(reason);
    await isolated.end();
  }

  return {
    pid: child.pid,
    fit: () =>
      !ended &&
      child.exitCode === null &&
      child.signalCode === null &&
      residentBytes(child.pid) < maxMemory / 2,
    read,
    end,
  };
}

/** Null if it is still running after an invalid answer. */
async function endedBy(child: Subprocess): Promise<Subprocess['signalCode']> {
  await Promise.race([child.exited, Bun.sleep(ENDS_WITHIN_MS)]);
  return child.signalCode;
}

// The output ends shortly before the process exits.
const ENDS_WITHIN_MS = 1_000;

function tooSlow(seconds: number): UnreadableDocument {
  return new UnreadableDocument(
    `Reading it takes more than ${seconds} s of processor time; it will be retried. If that fails, split it into several documents`,
    { mayPass: true },
  );
}

function hanging(seconds: number): UnreadableDocument {
  return new UnreadableDocument(`It was not read within ${seconds} s; it will be retried`, { mayPass: true });
}

function tooMuch(): UnreadableDocument {
  return new UnreadableDocument('Reading it takes too much memory: split it into several documents');
}

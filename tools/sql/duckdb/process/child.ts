/** The service's side of a database process: sends one task at a time, and kills the process when it exceeds its limits. */
import { join } from 'node:path';
import { SkeinError } from '../../../../state/errors.ts';
import { readLines } from '../../../processes/read-lines.ts';
import { residentBytes, watchMemory } from '../../../processes/resident-memory.ts';
import { spawnIsolated } from '../../../processes/spawn-isolated.ts';
import { SqlError, type SqlFailure } from '../../engine.ts';
import type { Answer, Setup, Task } from '../messages.ts';

export interface Child {
  readonly pid: number;
  /** False if the process has exited or must exit, so that another process is needed. */
  fit(): boolean;
  /**
   * Must be called for one task at a time. Throws DATABASE_CONNECTION_FAILED, a SqlError, or the signal's reason. The process
   * has ended by then.
   */
  ask(task: Task, options: { ms: number; signal?: AbortSignal | undefined }): Promise<Answer>;
  end(): Promise<void>;
}

const MAIN = join(import.meta.dir, 'process.ts');

// The largest answer is 1 MB of rows, or the columns of 200 tables.
const MAX_ANSWER = 4_000_000;
const START_MS = 10_000;

/**
 * Starts the process, which opens the database immediately. The first task waits for that. Throws DATABASE_CONNECTION_FAILED if
 * the process cannot start.
 */
export function startChild(setup: Setup): Child {
  const isolated = start();
  const { child } = isolated;
  const answers = answersOf(child.stdout);
  let ended = false;
  let opened = false;
  void send(JSON.stringify(setup));

  async function send(line: string): Promise<void> {
    try {
      child.stdin.write(`${line}\n`);
      await child.stdin.flush();
    } catch {
      // The process has exited, so the task that waits for its answer fails.
    }
  }

  async function ask(
    task: Task,
    { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
  ): Promise<Answer> {
    // Throws for values without a JSON form.
    const line = JSON.stringify(task);
    if (!opened) await open(signal);
    signal?.throwIfAborted();
    void send(line);
    return within(ms, new SqlError(timeout(ms)), signal);
  }

  async function open(signal: AbortSignal | undefined): Promise<void> {
    const answer = await within(START_MS, new SqlError(timeout(START_MS)), signal).catch((cause) => {
      if (!(cause instanceof SqlError)) throw cause;
      throw notStarted(cause);
    });
    opened = answer.is === 'ready';
    if (opened) return;
    void end();
    const detail = answer.is === 'closed' ? answer.reason : undefined;
    throw new SkeinError('DATABASE_CONNECTION_FAILED', { detail });
  }

  /** Returns the next answer. Throws the reason if the process ends. */
  async function within(ms: number, late: Error, signal: AbortSignal | undefined): Promise<Answer> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (reason: unknown) => {
      void end();
      reject(reason);
    };
    const timer = setTimeout(stop, ms, late);
    const abort = () => stop(signal?.reason);
    signal?.addEventListener('abort', abort);
    const unwatch = watchMemory(child.pid, setup.maxMemory, () => stop(new SqlError(TOO_MUCH_MEMORY)));
    try {
      const next = await Promise.race([promise, answers.next()]);
      if (next.done) throw new SqlError(ENDED);
      return next.value;
    } catch (error) {
      void end();
      throw error;
    } finally {
      clearTimeout(timer);
      unwatch();
      signal?.removeEventListener('abort', abort);
    }
  }

  async function end(): Promise<void> {
    ended = true;
    await isolated.end();
  }

  return {
    pid: child.pid,
    // Memory that an earlier statement has left must not count for the next statement, so require a reserve.
    fit: () =>
      !ended &&
      child.exitCode === null &&
      child.signalCode === null &&
      residentBytes(child.pid) < setup.maxMemory * 0.75,
    ask,
    end,
  };
}

function start(): ReturnType<typeof spawnIsolated> {
  try {
    return spawnIsolated(MAIN, 'sql');
  } catch (cause) {
    throw notStarted(cause);
  }
}

function notStarted(cause: unknown): SkeinError {
  const detail = 'the process that reads the database did not start';
  return new SkeinError('DATABASE_CONNECTION_FAILED', { detail, cause });
}

async function* answersOf(stdout: ReadableStream<Uint8Array>): AsyncGenerator<Answer> {
  try {
    for await (const line of readLines(stdout, MAX_ANSWER)) yield JSON.parse(line) as Answer;
  } catch (cause) {
    throw new SqlError({ kind: 'limit', reason: 'The result of the statement is too large' }, { cause });
  }
}

const ENDED: SqlFailure = {
  kind: 'limit',
  reason: 'The statement needs too much memory, or crashed the database process',
};
const TOO_MUCH_MEMORY: SqlFailure = { kind: 'limit', reason: 'The statement needs too much memory' };

function timeout(ms: number): SqlFailure {
  return {
    kind: 'timeout',
    reason: `The statement took longer than ${ms / 1000} s: simplify it so that it reads or joins less`,
  };
}

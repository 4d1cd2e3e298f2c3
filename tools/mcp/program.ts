/** The transport over the standard streams of an MCP server that is a program. It also starts and ends the program. */
import { deserializeMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { readLines } from '../processes/read-lines.ts';
import { MAX_BYTES } from './bounded-fetch.ts';
import { floodLimit } from './flood-limit.ts';
import { lastWords } from './last-words.ts';
import type { McpServerOptions } from './options.ts';
import type { ServerTransport } from './server-transport.ts';

// Not the package's transport, which reads unlimited output and leaves child processes of the program running.

/** The grace period after the end of the input, and after SIGTERM. */
const ENDS_WITHIN_MS = 2_000;
const LAST_LINES_MS = 500;
// Processing this many lines takes about ten milliseconds. Other work runs in between.
const LINES_AT_ONCE = 50;

type Child = Bun.Subprocess<'pipe', 'pipe', 'pipe'>;

export function programTransport(
  { command, args, env }: McpServerOptions & { command: string },
  cwd: string,
): ServerTransport {
  const words = lastWords(Object.values(env));
  let child: Child | undefined;
  let respondedAt = 0;
  let reason = 'it exited';

  /** Signals the process group, because `npx` and similar commands start the server as a child process. */
  function signal(name: NodeJS.Signals): void {
    try {
      if (child) process.kill(-child.pid, name);
    } catch {
      // It has already exited.
    }
  }

  async function read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const isTaken = floodLimit();
    let lines = 0;
    try {
      for await (const line of readLines(stream, MAX_BYTES)) {
        respondedAt = performance.now();
        if (!isTaken(line)) throw new RangeError('it sent too much unrequested output');
        const message = messageIn(line);
        if (message) transport.onmessage?.(message);
        if (++lines % LINES_AT_ONCE === 0) await new Promise(setImmediate);
      }
    } catch (error) {
      reason = error instanceof RangeError ? error.message : 'its output cannot be read';
      signal('SIGKILL');
    }
  }

  async function endsWithin(milliseconds: number): Promise<boolean> {
    const late = Bun.sleep(milliseconds).then(() => false);
    return Promise.race([late, child?.exited.then(() => true) ?? true]);
  }

  const transport: Transport = {
    async start() {
      child = Bun.spawn([command, ...args], {
        ...{ cwd, env: { ...getDefaultEnvironment(), ...env }, detached: true },
        ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
      });
      const reading = read(child.stdout);
      words.read(child.stderr).catch(() => {});
      void child.exited
        .then(() => Promise.race([reading, Bun.sleep(LAST_LINES_MS)]))
        .then(() => transport.onclose?.());
    },
    async send(message) {
      try {
        child?.stdin.write(serializeMessage(message));
        await child?.stdin.flush();
      } catch {
        // The program has exited or is about to exit, and the caller gets that as the reason.
      }
    },
    async close() {
      if (!child) return;
      // Don't await it: a program that doesn't read its input would never accept the rest.
      Promise.resolve(child.stdin.end()).catch(() => {});
      if (!(await endsWithin(ENDS_WITHIN_MS))) signal('SIGTERM');
      if (!(await endsWithin(ENDS_WITHIN_MS))) signal('SIGKILL');
      await child.exited;
    },
  };
  return {
    transport,
    isProgram: true,
    respondedSince: (time) => respondedAt >= time,
    lastErrors: words.text,
    reason: () => reason,
    kill: () => signal('SIGKILL'),
  };
}

/** Undefined for a line that is not a message, because some programs print logs to standard output. */
function messageIn(line: string) {
  try {
    return deserializeMessage(line);
  } catch {
    return undefined;
  }
}

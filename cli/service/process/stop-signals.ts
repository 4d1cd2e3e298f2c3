/** SIGINT and SIGTERM: the first one starts an orderly stop, a second one ends the process immediately. */

// Ctrl-C reaches every process of the terminal's group, and `bun run` and `npx` forward it to the service as well.
const REPEAT_MS = 1_000;

export interface Stopping {
  /** Called at the first signal. */
  stop(): void;
  /** Called at every signal that arrives more than a second after the first. */
  exit(): void;
}

export function onStopSignal({ stop, exit }: Stopping): void {
  let stoppedAt: number | undefined;
  const signalled = () => {
    if (stoppedAt === undefined) {
      stoppedAt = performance.now();
      stop();
    } else if (performance.now() - stoppedAt > REPEAT_MS) exit();
  };
  process.on('SIGINT', signalled);
  process.on('SIGTERM', signalled);
}

/** Uncaught errors, such as a rejected promise that a graph's node forgot to await: they are logged, and the service keeps running. */
import type { Logger } from 'pino';

/** `log` returns undefined until the service is open; errors go to stderr until then. */
export function surviveStrayErrors(log: () => Logger | undefined): void {
  const report = (err: unknown) => {
    const opened = log();
    if (opened) opened.error({ err }, 'uncaught error');
    else console.error('Uncaught error:', err);
  };
  process.on('unhandledRejection', report);
  process.on('uncaughtException', report);
}

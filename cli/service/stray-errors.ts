/** Errors that nobody catches, such as a rejected promise that a graph's node forgot to await: logged, and the service goes on. */
import type { Logger } from 'pino';

/** `log` returns undefined until the service is open; errors go to stderr until then. */
export function surviveStrayErrors(log: () => Logger | undefined): void {
  const report = (err: unknown) => {
    const opened = log();
    if (opened) opened.error({ err }, 'an error that nobody caught');
    else console.error('An error that nobody caught:', err);
  };
  process.on('unhandledRejection', report);
  process.on('uncaughtException', report);
}

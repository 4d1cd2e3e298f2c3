/** Signals that end a command, for commands that clean up first. */
import { constants } from 'node:os';

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `work` at the first signal. A second one, or one after the returned function is called, ends the process as usual. */
export function onEnd(work: (signal: NodeJS.Signals) => void): () => void {
  const release = () => {
    for (const signal of ENDS) process.off(signal, first);
  };
  const first = (signal: NodeJS.Signals) => {
    release();
    work(signal);
  };
  for (const signal of ENDS) process.on(signal, first);
  return release;
}

/** The exit code that a shell reports for a program ended by this signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

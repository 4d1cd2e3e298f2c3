/** Signals that end a command, for one that has something to end before. */
import { constants } from 'node:os';

const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `work` at the first. A second one ends the process as ever, and so does one after what is given back is called. */
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

/** As a shell numbers a program that a signal has ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * A thread that ends its process, even if the main thread is blocked: when the parent process has exited, and when a
 * document exceeds its processor time.
 */
import { endProcess } from './end-process.ts';
import { TOO_SLOW } from './messages.ts';

/** The processor time that is left, in seconds; undefined while nothing is being read. */
export type Allowed = number | undefined;

declare const self: Worker;

const WATCH_MS = 200;
const parent = process.ppid;
let until = Number.POSITIVE_INFINITY;

self.onmessage = ({ data }: MessageEvent<Allowed>) => {
  until = data === undefined ? Number.POSITIVE_INFINITY : usedSeconds() + data;
};

setInterval(() => {
  if (process.ppid !== parent) endProcess();
  // The service recognizes the signal.
  if (usedSeconds() > until) process.kill(process.pid, TOO_SLOW);
}, WATCH_MS);

/** The processor time of all threads of this process. Unlike wall clock time, it doesn't depend on other processes. */
function usedSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

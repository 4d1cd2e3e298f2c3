/**
 * A thread that ends its process, whatever the process is doing: when the one that started it has ended, and when a
 * document takes more processor time than it may.
 */
import { endProcess } from './end-process.ts';
import { TOO_SLOW } from './messages.ts';

/** Seconds of processor time from now on; undefined where nothing is being read. */
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

/** Of all threads of the process: other processes that are busy cost a document nothing. */
function usedSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

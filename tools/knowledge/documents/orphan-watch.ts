/** A thread that ends its process when the one that started it has ended, whatever the process is doing. */
import { endProcess } from './end-process.ts';

const WATCH_MS = 500;
const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) endProcess();
}, WATCH_MS);

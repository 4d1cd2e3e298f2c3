/** A thread that ends its process when the one that started it has ended, whatever the process is doing. */

const WATCH_MS = 500;
const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, WATCH_MS);

/** How a process that reads documents ends itself: at once, and with the folder that it works in. */
import { rmdirSync } from 'node:fs';

export function endProcess(): void {
  try {
    rmdirSync(process.cwd());
  } catch {
    // The service has removed it, or somebody put something there.
  }
  process.kill(process.pid, 'SIGKILL');
}

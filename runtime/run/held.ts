/** What a run of this process holds. */
import type { RunSaver } from '../../state/checkpoints/checkpoints.ts';
import type { Lease } from '../../state/cluster/lease.ts';
import type { Thread } from '../../state/threads/threads.ts';

/** While queued, only a lease, with which the run can be ended; then also the thread, and the graph's saver. */
export interface Held {
  lease: Lease;
  running: boolean;
  thread?: Thread;
  saver?: RunSaver;
}

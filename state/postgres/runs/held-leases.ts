/** The leases of the runs that this server knows it has claimed. */
import type { Lease } from '../../cluster/lease.ts';

export interface HeldLeases {
  add(lease: Lease): void;
  /** Keeps a newer lease: this server may have claimed the run again after the lease was lost. */
  remove(lease: Lease): void;
  has(runId: string): boolean;
  holds(lease: Lease): boolean;
  runIds(): string[];
  clear(): void;
}

export function heldLeases(): HeldLeases {
  const numbers = new Map<string, number>();
  return {
    add: ({ runId, number }) => void numbers.set(runId, number),
    remove({ runId, number }) {
      if (numbers.get(runId) === number) numbers.delete(runId);
    },
    has: (runId) => numbers.has(runId),
    holds: ({ runId, number }) => numbers.get(runId) === number,
    runIds: () => [...numbers.keys()],
    clear: () => numbers.clear(),
  };
}

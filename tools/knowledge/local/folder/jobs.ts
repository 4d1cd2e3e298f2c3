/** A queue of documents to examine, in groups that fit into memory. */

export interface Job {
  name: string;
  /** File size: an estimate of the memory for reading it. */
  bytes: number;
  /** Now, soon (a question would be answered from stale data), or in order. */
  urgency: 0 | 1 | 2;
}

export interface Jobs {
  /** A queued document is not added again; resolves when it was examined. */
  add(job: Job): Promise<void>;
  /** Takes the most urgent documents; those in progress are skipped. */
  take(): Job[];
  /** Marks documents as examined. */
  done(jobs: readonly Job[]): void;
  /** Clears the queue. */
  abandon(reason: unknown): void;
  has(name: string): boolean;
  waiting(): number;
  /** Documents that are queued or in progress. */
  left(): number;
}

const GROUP_BYTES = 4 * 1024 * 1024;
const GROUP_SIZE = 64;

export function openJobs(): Jobs {
  const queues = [new Map<string, Job>(), new Map<string, Job>(), new Map<string, Job>()] as const;
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const active = new Map<string, PromiseWithResolvers<void>>();

  return {
    add(job) {
      const known = waiting.get(job.name) ?? Promise.withResolvers<void>();
      waiting.set(job.name, known);
      const at = queues.findIndex((queue) => queue.has(job.name));
      const before = queues[at]?.get(job.name);
      // The file may have been written since it was last examined.
      const next = { ...job, bytes: Math.max(job.bytes, before?.bytes ?? 0) };
      if (before && at <= job.urgency) {
        queues[at]?.set(job.name, { ...before, bytes: next.bytes });
        return known.promise;
      }
      queues[at]?.delete(job.name);
      queues[job.urgency].set(job.name, next);
      return known.promise;
    },
    take() {
      const group: Job[] = [];
      let bytes = 0;
      for (const queue of queues) {
        for (const job of queue.values()) {
          if (group.length >= GROUP_SIZE || (group.length > 0 && bytes + job.bytes > GROUP_BYTES)) break;
          bytes += job.bytes;
          group.push(job);
          queue.delete(job.name);
          active.set(job.name, waiting.get(job.name) ?? Promise.withResolvers<void>());
          waiting.delete(job.name);
        }
        // Urgent documents don't wait for others.
        if (group.length > 0) break;
      }
      return group;
    },
    done(jobs) {
      for (const { name } of jobs) {
        active.get(name)?.resolve();
        active.delete(name);
      }
    },
    abandon(reason) {
      for (const queue of queues) queue.clear();
      for (const { promise, reject } of waiting.values()) {
        // Not every caller awaits the result.
        promise.catch(() => {});
        reject(reason);
      }
      waiting.clear();
    },
    has: (name) => waiting.has(name) || active.has(name),
    waiting: () => waiting.size,
    left: () => waiting.size + active.size,
  };
}

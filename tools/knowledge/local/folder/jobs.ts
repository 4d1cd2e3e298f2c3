/** A queue of documents to examine, in groups that fit into memory. */

export interface Job {
  name: string;
  /** The size of the file, as an estimate of the memory for reading it. */
  bytes: number;
  /** 0: immediately; 1: soon, because questions are answered from stale data until then; 2: in order. */
  urgency: 0 | 1 | 2;
}

export interface Jobs {
  /** Does not add a document that is already queued. Resolves when the document has been examined. */
  add(job: Job): Promise<void>;
  /** Takes the most urgent documents from the queue. */
  take(): Job[];
  /** Marks documents as examined. */
  done(jobs: readonly Job[]): void;
  /** Clears the queue. */
  abandon(reason: unknown): void;
  has(name: string): boolean;
  waiting(): number;
  /** Documents that are queued or in progress. */
  remaining(): number;
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
      // The file may have grown since it was queued.
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
    remaining: () => waiting.size + active.size,
  };
}

/** Documents that wait to be looked at, in groups that fit into memory. */

export interface Job {
  name: string;
  /** Of the file: what reading it may need. */
  bytes: number;
  /** Now, soon (a question would be answered from what is no longer true), or in its turn. */
  urgency: 0 | 1 | 2;
}

export interface Jobs {
  /** Once a document is waiting it is not added again; resolves when it was looked at. */
  add(job: Job): Promise<void>;
  /** The most urgent ones; what is being looked at already does not wait. */
  take(): Job[];
  /** These were looked at. */
  done(jobs: readonly Job[]): void;
  /** None that waits will be looked at. */
  abandon(reason: unknown): void;
  has(name: string): boolean;
  waiting(): number;
  /** Those that wait, and those that are being looked at. */
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
      // The file may have been written since it was last looked at.
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
        // What is urgent does not wait for what is not.
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
        // Not everybody who asked for a look waits for it.
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

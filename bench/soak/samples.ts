/** Samples the resources of a process: memory, descriptors and processor time from /proc, event-loop delay from its metrics. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { quantile } from '../load.ts';

export interface Sample {
  /** Seconds since the start. */
  at: number;
  /** MB. */
  rss: number;
  /** MB, of the processes that it has started. */
  childrenRss: number;
  /** MB, after a collection. */
  heap: number;
  objects: number;
  descriptors: number;
  /** Milliseconds since the last sample: the mean, and the bucket of the histogram that holds 99 %. */
  loopMean: number;
  loopP99: number;
  /** The same for a timer in the measuring process, which is nearly idle: the delay caused by other load of the machine. */
  controlMean: number;
  controlP99: number;
  /** Seconds of processor time so far. */
  cpu: number;
}

const LOOP_INTERVAL_MS = 100;

export interface Sampler {
  sample(): Promise<Sample>;
  /** The types of objects whose number grew the most since the first call. */
  grown(): Promise<[type: string, count: number][]>;
}

interface Heap {
  heapSize: number;
  objectCount: number;
  objectTypeCounts: Record<string, number>;
}

export function samplerOf({ url, pid, heapFile }: { url: string; pid: number; heapFile: string }): Sampler {
  const began = performance.now();
  let before: Delays = { buckets: [], sum: 0, count: 0 };
  let first: Heap | undefined;
  const control = controlDelays();

  const delays = async () => delaysIn(await (await fetch(`${url}/metrics`)).text());

  async function collected(): Promise<Heap> {
    await Bun.file(heapFile)
      .delete()
      .catch(() => undefined);
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(heapFile)) await Bun.sleep(20);
    return (await Bun.file(heapFile).json()) as Heap;
  }

  return {
    async sample() {
      const at = (performance.now() - began) / 1_000;
      const { mean, p99 } = between(before, await delays());
      const rss = residentMegabytes(pid);
      const heap = await collected();
      first ??= heap;
      // The collection blocks the event loop, which the service's metrics show a tenth of a second later.
      await Bun.sleep(500);
      before = await delays();
      const { mean: controlMean, p99: controlP99 } = control.taken();
      return {
        ...{ at, rss, heap: heap.heapSize / 1e6, objects: heap.objectCount },
        childrenRss: childrenOf(pid).reduce((sum, child) => sum + residentMegabytes(child), 0),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        ...{ loopMean: mean * 1_000, loopP99: p99 * 1_000, cpu: processorSeconds(pid) },
        ...{ controlMean, controlP99 },
      };
    },
    async grown() {
      const now = (await collected()).objectTypeCounts;
      return Object.entries(now)
        .map(([type, count]): [string, number] => [type, count - (first?.objectTypeCounts[type] ?? 0)])
        .toSorted((a, b) => b[1] - a[1])
        .slice(0, 10);
    },
  };
}

/** Measures the delay of a timer in this process with the same interval as the service's. */
function controlDelays(): { taken(): { mean: number; p99: number } } {
  let late: number[] = [];
  let due = performance.now() + LOOP_INTERVAL_MS;
  setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - due));
    due = now + LOOP_INTERVAL_MS;
  }, LOOP_INTERVAL_MS).unref();
  return {
    taken() {
      const all = late;
      late = [];
      return { mean: all.reduce((sum, one) => sum + one, 0) / all.length, p99: quantile(all, 0.99) };
    },
  };
}

function residentMegabytes(pid: number): number {
  const status = statusOf(pid, 'status');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_000;
}

function childrenOf(pid: number): number[] {
  const children = statusOf(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

// The unit of these fields is a hundredth of a second.
function processorSeconds(pid: number): number {
  const fields = statusOf(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Empty for a process that has just ended. */
function statusOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

interface Delays {
  buckets: { le: number; count: number }[];
  sum: number;
  count: number;
}

function delaysIn(metrics: string): Delays {
  const lines = metrics.matchAll(/^skein_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\S+)$/gm);
  const value = (name: string) =>
    Number(new RegExp(`^skein_event_loop_delay_seconds_${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
  const buckets = Array.from(lines, ([, le, count]) => ({
    le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
    count: Number(count),
  }));
  return { buckets, sum: value('sum'), count: value('count') };
}

function between(before: Delays, now: Delays): { mean: number; p99: number } {
  const count = now.count - before.count;
  const counted = now.buckets.map(({ le, count }, index) => ({
    le,
    count: count - (before.buckets[index]?.count ?? 0),
  }));
  const p99 = counted.find((bucket) => bucket.count >= count * 0.99)?.le ?? Number.NaN;
  return { mean: count === 0 ? 0 : (now.sum - before.sum) / count, p99 };
}

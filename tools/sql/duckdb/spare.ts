/** A process for the next run, started when one has ended: most of what a run waits for is its start. */
import { type Child, startChild } from './child.ts';
import type { Setup } from './messages.ts';

export interface Spare {
  /** Undefined if there is none that waits. */
  take(): Child | undefined;
  prepare(): void;
  close(): Promise<void>;
}

// One that waits holds some 80 MB: it is kept while documents come one after the other.
const SPARE_MS = 60_000;

export function openSpare(setup: Setup): Spare {
  let prepared: Child | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  function take(): Child | undefined {
    clearTimeout(timer);
    const taken = prepared;
    prepared = undefined;
    if (!taken || taken.fit()) return taken;
    void taken.end();
    return undefined;
  }

  async function drop(): Promise<void> {
    await take()?.end();
  }

  return {
    take,
    prepare() {
      if (closed || prepared) return;
      prepared = started(setup);
      timer = setTimeout(drop, SPARE_MS);
      timer.unref();
    },
    async close() {
      closed = true;
      await drop();
    },
  };
}

/** Undefined where none can be started: whoever needs one is told why. */
function started(setup: Setup): Child | undefined {
  try {
    return startChild(setup);
  } catch {
    return undefined;
  }
}

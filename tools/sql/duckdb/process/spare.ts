/** Keeps a spare process ready for the next run, which would otherwise wait mainly for the start of its process. */

import type { Setup } from '../messages.ts';
import { type Child, startChild } from './child.ts';

export interface Spare {
  /** Undefined if no process is ready. */
  take(): Child | undefined;
  prepare(): void;
  close(): Promise<void>;
}

// An idle process takes about 80 MB, so it is only kept while runs follow each other soon.
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

/** Undefined if no process can be started. The next caller that needs one gets the error. */
function started(setup: Setup): Child | undefined {
  try {
    return startChild(setup);
  } catch {
    return undefined;
  }
}

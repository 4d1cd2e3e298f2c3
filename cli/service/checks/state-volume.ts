/** Warns when the volume of the state file fills up, before turns fail. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { periodic } from '../../../runtime/periodic.ts';

export interface VolumeWatch {
  start(): void;
  stop(): Promise<void>;
  /** A sentence while it is nearly full. */
  warnings(): Promise<string[]>;
}

const NEARLY_FULL = 0.8;
const EVERY_MS = 60_000;

/** `path` is undefined if the state has no local file. */
export function volumeWatch(path: string | undefined, log: Logger): VolumeWatch {
  let wasNearlyFull = false;

  async function warnings(): Promise<string[]> {
    if (path === undefined) return [];
    const { bavail, blocks } = await statfs(dirname(path));
    const used = blocks === 0 ? 0 : 1 - bavail / blocks;
    if (used < NEARLY_FULL) return [];
    return [
      `chat_history.database_path: its volume is ${Math.floor(used * 100)} % full; when it is full, turns fail with STORAGE_FULL`,
    ];
  }

  const looking = periodic(look, {
    everyMs: EVERY_MS,
    failed: (err) => log.warn({ err }, 'the volume of the state file cannot be checked'),
  });

  /** Logged once, until space is free again. */
  async function look(): Promise<void> {
    const [warning] = await warnings();
    if (warning !== undefined && !wasNearlyFull) log.warn(warning);
    wasNearlyFull = warning !== undefined;
  }

  return { start: looking.start, stop: looking.stop, warnings };
}

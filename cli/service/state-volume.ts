/** Watches how full the volume of the state file is, so that somebody makes room before turns are refused. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { periodic } from '../../runtime/periodic.ts';

export interface VolumeWatch {
  start(): void;
  stop(): Promise<void>;
  /** As it is now: a sentence where it is nearly full. */
  warnings(): Promise<string[]>;
}

const NEARLY_FULL = 0.8;
const EVERY_MS = 60_000;

/** `path` is undefined where the state has no file here. */
export function volumeWatch(path: string | undefined, log: Logger): VolumeWatch {
  let wasNearlyFull = false;

  async function warnings(): Promise<string[]> {
    if (path === undefined) return [];
    const { bavail, blocks } = await statfs(dirname(path));
    const used = blocks === 0 ? 0 : 1 - bavail / blocks;
    if (used < NEARLY_FULL) return [];
    return [
      `chat_history.database_path: its volume is ${Math.floor(used * 100)} % full; turns are refused with STORAGE_FULL when it has no room`,
    ];
  }

  const looking = periodic(look, {
    everyMs: EVERY_MS,
    failed: (err) => log.warn({ err }, 'the volume of the state file cannot be looked at'),
  });

  /** Said once, until there is room again. */
  async function look(): Promise<void> {
    const [warning] = await warnings();
    if (warning !== undefined && !wasNearlyFull) log.warn(warning);
    wasNearlyFull = warning !== undefined;
  }

  return { start: looking.start, stop: looking.stop, warnings };
}

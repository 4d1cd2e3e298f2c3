/** The progress of a run in the state when its process was killed. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askState } from '../support/stored-state.ts';
import { ON_POSTGRES } from '../support/test-state.ts';
import type { Crash } from './lane.ts';

const OF_KEY = 'run_id = (SELECT run_id FROM idempotency WHERE key = $1)';

/** The progress of the run with this idempotency key. */
export async function progressIn(folder: string, key: string): Promise<Pick<Crash, 'finished' | 'ended'>> {
  const state = ON_POSTGRES ? folder : copyOf(folder);
  const checkpoints = await askState<{ id: string; metadata: string }>(
    state,
    `SELECT id, metadata FROM checkpoints WHERE ${OF_KEY} ORDER BY id DESC`,
    key,
  );
  const runs = await askState<{ head: string | null; finished_at: number | null }>(
    state,
    `SELECT t.head, r.finished_at FROM runs AS r JOIN threads AS t ON t.key = r.thread WHERE r.${OF_KEY}`,
    key,
  );
  const pending = await askState(
    state,
    `SELECT 1 FROM checkpoint_writes WHERE writes LIKE '%"outputs",[%' AND id = $1`,
    checkpoints[0]?.id ?? runs[0]?.head ?? null,
  );
  // A turn begins with its question, and a checkpoint before its first agent; each agent adds one more. An answer begins at
  // the head of its thread.
  const steps = checkpoints.filter(({ metadata }) => JSON.parse(metadata).source === 'loop').length;
  const begins = checkpoints.length > steps;
  const finished = begins && steps === 0 ? 0 : steps + pending.length - Number(begins);
  return { finished, ended: runs.some((run) => run.finished_at !== null) };
}

/** Copies them, because opening the files of a killed process would repair them. */
function copyOf(folder: string): string {
  const copy = join(folder, 'looked-at');
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(folder, '.tmp'), join(copy, '.tmp'), { recursive: true });
  return copy;
}

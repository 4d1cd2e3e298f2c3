/** Converts the result of `take_v1` to a claim. */

import { type ThreadRow, toThread } from '../../driver/rows.ts';
import type { Claim, StopReason } from '../../threads/coordination.ts';

export interface ClaimRow {
  runId: string;
  lease: number;
  attempt: number;
  deaths: number;
  deathsNewest: string | null;
  checkpoint: string | null;
  stop: StopReason | null;
  thread: ThreadRow;
}

export function toClaim(row: ClaimRow): Claim {
  const { runId, lease, attempt, deaths, deathsNewest, checkpoint, stop, thread } = row;
  return {
    lease: { runId, number: lease },
    thread: toThread(thread),
    attempt: { number: attempt, deaths: { count: deaths, newest: deathsNewest } },
    checkpoint,
    stop,
  };
}

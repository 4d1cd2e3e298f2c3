/** Leases: of all processes that have run a run, only the one that claimed it last may write it. */
import { causesOf } from './errors.ts';

/** The right to write a run. `number` counts the claims of the run: a later claim ends every earlier lease. */
export interface Lease {
  runId: string;
  number: number;
}

/** A write came from a process that no longer has the run: another has claimed it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor({ runId, number }: Lease) {
    super(`Lease ${number} of run ${runId} is lost: the run was claimed again, or has ended`);
  }
}

/** LangGraph may hand an error on as another one's cause. */
export function isLeaseLost(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof LeaseLost);
}

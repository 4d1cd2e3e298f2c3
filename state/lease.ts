/** Leases: only the process with the latest claim of a run may write it. */
import { causesOf } from './errors.ts';

/** The right to write a run. `number` counts the claims of the run: a later claim ends every earlier lease. */
export interface Lease {
  runId: string;
  number: number;
}

/** A process tried to write a run that another one has claimed. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor({ runId, number }: Lease) {
    super(`Lease ${number} of run ${runId} is lost: the run was claimed again, or has ended`);
  }
}

/** LangGraph may pass an error on as the cause of another one. */
export function isLeaseLost(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof LeaseLost);
}

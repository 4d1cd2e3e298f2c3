/** Leases: only the process that claimed a run last may write it. */
import { causesOf } from '../errors.ts';

/** The right to write a run. `number` is the number of its claims; a new claim invalidates all earlier leases. */
export interface Lease {
  runId: string;
  number: number;
}

/** A process tried to write a run that was claimed again or has ended. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor({ runId, number }: Lease) {
    super(`Lease ${number} of run ${runId} is lost: the run was claimed again, or has ended`);
  }
}

/** Checks the causes as well, because LangGraph may wrap an error. */
export function isLeaseLost(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof LeaseLost);
}

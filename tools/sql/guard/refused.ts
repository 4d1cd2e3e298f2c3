/** The guard's refusal on its way out of the parser. */
import type { Refusal } from '../duckdb/refusal.ts';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;

  constructor(rule: Refusal['rule'], reason: string) {
    super(reason);
    this.refusal = { rule, reason };
  }
}

/** At most so much of a name that a reason stays short. */
export function quoted(name: string): string {
  return `"${name.slice(0, 100).toWellFormed()}"`;
}

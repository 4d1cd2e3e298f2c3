/** The error with which the guard's parser rejects a statement. */
import type { Refusal } from '../../refusal.ts';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;

  constructor(rule: Refusal['rule'], reason: string) {
    super(reason);
    this.refusal = { rule, reason };
  }
}

/** Limits the length of a name, so that the reason stays short. */
export function quoted(name: string): string {
  return `"${name.slice(0, 100).toWellFormed()}"`;
}

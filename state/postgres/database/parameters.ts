/** The values of a statement that is put together: each is named by its place. */
import type { Value } from './database.ts';

export interface Parameters {
  values: Value[];
  /** Gives the value's name in the statement. */
  add(value: Value): string;
}

export function parameters(): Parameters {
  const values: Value[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

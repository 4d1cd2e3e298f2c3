/** Errors of values that cannot be stored name the channel, or the node to which the value was sent. */
import { TASKS } from '@langchain/langgraph-checkpoint';
import { SkeinError } from '../../errors.ts';

/** Returns `make(value)`. Throws INTERNAL_ERROR if the value contains a circular reference or is nested too deeply. */
export function storable<T>(channel: string, value: unknown, make: (value: unknown) => T): T {
  try {
    return make(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `${subjectOf(channel, value)} cannot be stored: it contains a circular reference or is nested too deeply`;
    throw new SkeinError('INTERNAL_ERROR', { message });
  }
}

function subjectOf(channel: string, value: unknown): string {
  // Only values inside which other values are nested cannot be stored, so this is neither null nor undefined.
  const { node } = value as { node?: unknown };
  if (channel === TASKS && typeof node === 'string') return `The input sent to the node '${node}'`;
  return `The value of the channel '${channel}'`;
}

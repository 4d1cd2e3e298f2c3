/** Names what cannot be stored: the channel, or the node that it was sent to. */
import { TASKS } from '@langchain/langgraph-checkpoint';
import { SkeinError } from '../../errors.ts';

/** Returns what `make` does. Throws INTERNAL_ERROR with the place if the value refers to itself or is nested too deeply. */
export function storable<T>(channel: string, value: unknown, make: (value: unknown) => T): T {
  try {
    return make(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `${placeOf(channel, value)} refers to itself or is nested too deeply, and cannot be stored`;
    throw new SkeinError('INTERNAL_ERROR', { message });
  }
}

function placeOf(channel: string, value: unknown): string {
  const { node } = (value ?? {}) as { node?: unknown };
  if (channel === TASKS && typeof node === 'string') return `What is sent to the node '${node}'`;
  return `The value of the channel '${channel}'`;
}

/** Converts a message to a waiting task into resume values: the message's data, or its text, which may be JSON. */
import type { Message } from '@a2a-js/sdk';
import type { ResumeRequest } from '../../runtime/intake/turn.ts';
import type { TurnResult } from '../../state/threads/runs.ts';
import { parseJsonOrText } from '../http/bodies/parse-json-or-text.ts';
import { contentsOf } from './parts.ts';

/** If all keys of the data are interrupt ids, the data has a value for each of these interrupts. */
export function resumeValuesOf(
  { parts }: Message,
  { interrupts }: Pick<TurnResult, 'interrupts'>,
): Pick<ResumeRequest, 'value' | 'values'> {
  // The task stopped at a breakpoint, so there is no interrupt to answer.
  if (interrupts.length === 0) return {};
  const { text, data } = contentsOf(parts);
  const value = data.length > 1 ? data : data.length === 1 ? data[0] : parseJsonOrText(text);
  const ids = interrupts.map(({ interruptId }) => interruptId);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length > 0 && keys.every((key) => ids.includes(key)))
    return { values: value as Record<string, unknown> };
  return { value };
}

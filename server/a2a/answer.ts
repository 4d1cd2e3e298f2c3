/** A message that answers what a task asks: its data, or its text, which may be JSON. */
import type { Message } from '@a2a-js/sdk';
import type { ResumeRequest } from '../../runtime/intake/turn.ts';
import type { TurnResult } from '../../state/runs.ts';
import { jsonOf } from '../http/json-body.ts';
import { contentsOf } from './parts.ts';

/** Data whose keys are ids of interrupts are the answers to these. */
export function answerIn(
  { parts }: Message,
  { interrupts }: Pick<TurnResult, 'interrupts'>,
): Pick<ResumeRequest, 'value' | 'values'> {
  // It stopped, and asks nothing.
  if (interrupts.length === 0) return {};
  const { text, data } = contentsOf(parts);
  const value = data.length > 1 ? data : data.length === 1 ? data[0] : jsonIn(text);
  const ids = interrupts.map(({ interruptId }) => interruptId);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length > 0 && keys.every((key) => ids.includes(key)))
    return { values: value as Record<string, unknown> };
  return { value };
}

function jsonIn(text: string): unknown {
  try {
    return jsonOf(text);
  } catch {
    return text;
  }
}

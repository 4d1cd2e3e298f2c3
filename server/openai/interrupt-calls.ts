/** Converts interrupts to calls of a function `resume`, and the client's outputs of these calls to resume values. */
import type { ResumeRequest } from '../../runtime/intake/turn.ts';
import type { TurnResult } from '../../state/threads/runs.ts';
import { parseJsonOrText } from '../http/bodies/parse-json-or-text.ts';

export interface InterruptCall {
  /** The interrupt's id. */
  id: string;
  name: 'resume';
  /** The interrupt's value as JSON. */
  arguments: string;
}

export interface CallOutput {
  id: string;
  output: string;
}

/** The call id if the turn stopped at a breakpoint, without an interrupt. */
const STOPPED = 'stopped';

export function interruptCalls({
  interrupts,
  stoppedAt,
}: Pick<TurnResult, 'interrupts' | 'stoppedAt'>): InterruptCall[] {
  if (interrupts.length > 0)
    return interrupts.map(({ interruptId, value }) => resumeCall(interruptId, value));
  return stoppedAt.length > 0 ? [resumeCall(STOPPED, { stopped_at: stoppedAt })] : [];
}

/** The resume values by interrupt id. Each output is parsed as JSON, or used as text if it isn't JSON. */
export function resumeValuesOf(outputs: CallOutput[]): Pick<ResumeRequest, 'values'> {
  const answers = outputs.filter(({ id }) => id !== STOPPED);
  if (answers.length === 0) return {};
  return { values: Object.fromEntries(answers.map(({ id, output }) => [id, parseJsonOrText(output)])) };
}

function resumeCall(id: string, value: unknown): InterruptCall {
  return { id, name: 'resume', arguments: JSON.stringify(value) ?? 'null' };
}

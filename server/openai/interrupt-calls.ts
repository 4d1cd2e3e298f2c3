/** What a turn asks a person, as calls of a function `resume` that the client answers. */
import type { ResumeRequest } from '../../runtime/intake/turn.ts';
import type { TurnResult } from '../../state/runs.ts';
import { jsonOf } from '../http/json-body.ts';

export interface InterruptCall {
  /** The interrupt's id. */
  id: string;
  name: 'resume';
  /** The interrupt's value, JSON. */
  arguments: string;
}

export interface CallAnswer {
  id: string;
  output: string;
}

/** In place of an interrupt's id, where the turn has stopped and asks nothing. */
const STOPPED = 'stopped';

export function interruptCalls({
  interrupts,
  stoppedAt,
}: Pick<TurnResult, 'interrupts' | 'stoppedAt'>): InterruptCall[] {
  if (interrupts.length > 0) return interrupts.map(({ interruptId, value }) => callOf(interruptId, value));
  return stoppedAt.length > 0 ? [callOf(STOPPED, { stopped_at: stoppedAt })] : [];
}

/** What goes on with the thread: each answer is JSON, or else a text. */
export function answersOf(answers: CallAnswer[]): Pick<ResumeRequest, 'values'> {
  const given = answers.filter(({ id }) => id !== STOPPED);
  if (given.length === 0) return {};
  return { values: Object.fromEntries(given.map(({ id, output }) => [id, valueIn(output)])) };
}

function callOf(id: string, value: unknown): InterruptCall {
  return { id, name: 'resume', arguments: JSON.stringify(value) ?? 'null' };
}

function valueIn(output: string): unknown {
  try {
    return jsonOf(output);
  } catch {
    return output;
  }
}

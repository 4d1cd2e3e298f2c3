/** Checks a person's answer against the interrupts that the thread waits for. */
import { SkeinError } from '../../state/errors.ts';
import type { Resume } from '../../state/threads/runs.ts';
import type { PendingInterrupt } from '../../state/threads/threads.ts';

export interface Answer {
  /** The answer if there is only one interrupt. */
  value?: unknown;
  /** Answers by interrupt id; interrupts without one remain open. */
  values?: Record<string, unknown> | undefined;
  goto?: string[] | undefined;
  update?: Record<string, unknown> | undefined;
}

/** Throws INVALID_REQUEST, INTERRUPT_AMBIGUOUS or INTERRUPT_NOT_FOUND. */
export function answersTo(
  pending: PendingInterrupt,
  { value, values, goto, update }: Answer,
): Pick<Resume, 'values' | 'goto' | 'update'> {
  const more = { ...(goto && { goto }), ...(update && { update }) };
  const ids = pending.interrupts.map(({ interruptId }) => interruptId);
  if (values !== undefined) {
    const unknown = Object.keys(values).find((id) => !ids.includes(id));
    if (unknown !== undefined) {
      throw new SkeinError('INTERRUPT_NOT_FOUND', {
        detail: ids.length > 0 ? `The pending interrupts are: ${ids.join(', ')}` : 'No interrupt is pending',
      });
    }
    if (value !== undefined) throw invalid("send either 'value' or 'values', not both");
    if (Object.keys(values).length === 0 && ids.length > 0 && !goto && !update)
      throw invalid('values: expected an answer to at least one interrupt');
    return { values, ...more };
  }
  if (value === undefined) {
    if (ids.length > 0 && !goto) throw invalid("value: required, or 'values' by interrupt_id");
    return { values: {}, ...more };
  }
  const [id, ...others] = ids;
  if (id === undefined)
    throw invalid('value: no interrupt is pending; to continue after a breakpoint, send {}');
  if (others.length > 0) {
    throw new SkeinError('INTERRUPT_AMBIGUOUS', {
      detail: `${ids.length} interrupts are pending: send 'values' by interrupt_id`,
    });
  }
  return { values: { [id]: value }, ...more };
}

const CHARACTERS = 200;

/** The answer as the text of the conversation, for a turn without a question; at most 200 characters. */
export function answerText(answer: unknown): string {
  return (typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '')).slice(0, CHARACTERS);
}

function invalid(detail: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail });
}

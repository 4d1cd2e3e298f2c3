/** Errors of turns that are rejected for another reason than the limits of the queue. */
import { SkeinError } from '../../state/errors.ts';

/** `value`: the interrupt's question, of which the error quotes at most 500 characters. */
export function waitsForPerson(value: unknown): SkeinError {
  const text = JSON.stringify(value) ?? 'null';
  return new SkeinError('THREAD_BUSY', {
    message: 'The thread waits for a person',
    detail: `It waits for an answer to: ${text.slice(0, 500)}`,
  });
}

/** Throws INVALID_REQUEST if the trimmed prompt has more than `most` characters (code points). */
export function refuseLong(prompt: string, most: number): void {
  const trimmed = prompt.trim();
  // A text has at most as many code points as code units and at least half as many, so most prompts need no count.
  if (trimmed.length <= most || (trimmed.length <= 2 * most && codePoints(trimmed) <= most)) return;
  throw new SkeinError('INVALID_REQUEST', { detail: `user_prompt: at most ${most} characters` });
}

/** Counts in a loop, because an array of code points takes fourteen times the memory of the text. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

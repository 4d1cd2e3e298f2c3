/** Why a turn is refused: the refusals that don't come from the queue. */
import { SkeinError } from '../../state/errors.ts';

/** `value` is what the interrupt asks; it is cut for the error's text. */
export function waitsForPerson(value: unknown): SkeinError {
  const text = JSON.stringify(value) ?? 'null';
  return new SkeinError('THREAD_BUSY', {
    message: 'The thread waits for a person',
    detail: `It waits for an answer to: ${text.slice(0, 500)}`,
  });
}

/** Lengths are characters (code points) after trimming. */
export function refuseLong(prompt: string, most: number): void {
  const trimmed = prompt.trim();
  // Code points are at most code units and at least half as many; counting them costs more.
  if (trimmed.length <= most || (trimmed.length <= 2 * most && codePoints(trimmed) <= most)) return;
  throw new SkeinError('INVALID_REQUEST', { detail: `user_prompt: at most ${most} characters` });
}

/** Counts without building an array, which takes fourteen times the memory of the text. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Limits how much a program may send, because every line takes time to process, even if it was not requested. */

const WINDOW_MS = 1_000;
const MAX_LINES = 1_000;
const MAX_CHARACTERS = 16 * 2 ** 20;

/** Returns a function that counts a line, and returns false if there are too many. */
export function floodLimit(): (line: string) => boolean {
  let since = 0;
  let lines = 0;
  let characters = 0;
  return ({ length }) => {
    const now = performance.now();
    if (now - since > WINDOW_MS) {
      since = now;
      lines = 0;
      characters = 0;
    }
    lines++;
    characters += length;
    return lines <= MAX_LINES && characters <= MAX_CHARACTERS;
  };
}

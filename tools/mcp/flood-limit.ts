/** Limits how much a program may send: every line costs the service time, requested or not. */

const WINDOW_MS = 1_000;
const MAX_LINES = 1_000;
const MAX_CHARACTERS = 16 * 2 ** 20;

/** Counts a line; returns false once there are too many. */
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

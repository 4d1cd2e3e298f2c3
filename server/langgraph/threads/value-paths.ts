/** Reads paths in JSON values, and checks whether one JSON value contains another. */

/** Field names separated by dots, with list indexes in brackets. Negative indexes count from the end. */
export const PATH = '^[^.\\[\\]]+(\\.[^.\\[\\]]+|\\[-?\\d{1,9}\\])*$';

const STEP = /[^.[\]]+/g;

/** Returns undefined if there is no value at the path. `path` must match `PATH`. */
export function atPath(value: unknown, path: string): unknown {
  let current = value;
  for (const step of path.match(STEP) ?? []) {
    if (Array.isArray(current)) current = /^-?\d+$/.test(step) ? current.at(Number(step)) : undefined;
    else current = isRecord(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}

/**
 * Like PostgreSQL's `@>`: an object must have at least the wanted fields, a list at least the wanted elements, and other
 * values must be equal.
 */
export function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      wanted.every((element) => value.some((candidate) => contains(candidate, element)))
    );
  if (!isRecord(wanted)) return value === wanted;
  if (!isRecord(value)) return false;
  return Object.entries(wanted).every(
    ([key, field]) => Object.hasOwn(value, key) && contains(value[key], field),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

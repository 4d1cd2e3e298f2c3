/** What is where in a JSON value, and whether one value has all that another has. */

/** Fields after points, places in lists in brackets; from the end where they are negative. */
export const PATH = '^[^.\\[\\]]+(\\.[^.\\[\\]]+|\\[-?\\d{1,9}\\])*$';

const STEP = /[^.[\]]+/g;

/** Undefined where nothing is. `path` must match PATH. */
export function atPath(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path.match(STEP) ?? []) {
    if (Array.isArray(at)) at = /^-?\d+$/.test(step) ? at.at(Number(step)) : undefined;
    else at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** As PostgreSQL's `@>`: objects with at least these fields, lists with at least such elements, else equal values. */
export function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((one) => value.some((each) => contains(each, one)));
  if (!isRecord(wanted)) return value === wanted;
  if (!isRecord(value)) return false;
  return Object.entries(wanted).every(([key, one]) => Object.hasOwn(value, key) && contains(value[key], one));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

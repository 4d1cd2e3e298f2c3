/** Which values a search gives: the filter of LangGraph's stores, with its operators. */

type Compare = (found: unknown, wanted: unknown) => boolean;

const OPERATORS: Record<string, Compare> = {
  $eq: same,
  $ne: (found, wanted) => !same(found, wanted),
  $gt: (found, wanted) => numberOf(found) > numberOf(wanted),
  $gte: (found, wanted) => numberOf(found) >= numberOf(wanted),
  $lt: (found, wanted) => numberOf(found) < numberOf(wanted),
  $lte: (found, wanted) => numberOf(found) <= numberOf(wanted),
  $in: (found, wanted) => Array.isArray(wanted) && wanted.some((one) => same(found, one)),
  $nin: (found, wanted) => !Array.isArray(wanted) || !wanted.some((one) => same(found, one)),
};

/** Whether each field of the filter holds for the value's own field of that name. */
export function matchesFilter(value: unknown, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([name, wanted]) => compare(fieldOf(value, name), wanted));
}

function compare(found: unknown, wanted: unknown): boolean {
  if (!isOperators(wanted)) return same(found, wanted);
  return Object.entries(wanted).every(([operator, operand]) => OPERATORS[operator]?.(found, operand));
}

/** As in LangGraph, an object with a key that is no operator is a value to be equal to. */
function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.keys(wanted).every((key) => Object.hasOwn(OPERATORS, key));
}

function fieldOf(value: unknown, name: string): unknown {
  const fields = Object(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

// An object of user data may have a `valueOf` that is no function, which `Number` throws at.
function numberOf(value: unknown): number {
  return typeof value === 'object' && !(value instanceof Date) && value !== null ? Number.NaN : Number(value);
}

// LangGraph's store in memory compares objects by reference, its databases by content: here nothing is by reference.
function same(a: unknown, b: unknown): boolean {
  return a === b || Bun.deepEquals(a, b, true);
}

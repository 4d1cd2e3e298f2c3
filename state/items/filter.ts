/** The filter of LangGraph's stores with its operators. */

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

/** Whether every condition of the filter holds for the field of that name. Only own fields of the value count. */
export function matchesFilter(value: unknown, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([name, wanted]) => compare(fieldOf(value, name), wanted));
}

function compare(found: unknown, wanted: unknown): boolean {
  if (!isOperators(wanted)) return same(found, wanted);
  return Object.entries(wanted).every(([operator, operand]) => OPERATORS[operator]?.(found, operand));
}

/** As in LangGraph, an object with any key that is not an operator is compared as a value. */
function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.keys(wanted).every((key) => Object.hasOwn(OPERATORS, key));
}

function fieldOf(value: unknown, name: string): unknown {
  const fields = Object(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

// User data may have a field `valueOf` that is not a function; `Number` would throw a TypeError.
function numberOf(value: unknown): number {
  return typeof value === 'object' && !(value instanceof Date) && value !== null ? Number.NaN : Number(value);
}

// Compares objects by content, as LangGraph's database stores do; its in-memory store compares by reference.
function same(a: unknown, b: unknown): boolean {
  return a === b || Bun.deepEquals(a, b, true);
}

/** Limits the arguments of functions that determine the size of a value: they must be small literals. */
import type { Refusal } from '../../../refusal.ts';

type Node = Record<string, unknown>;

const MAX_SERIES = 100_000;
const MAX_LENGTH = 1_000;

/** Why the arguments of an allowed function are rejected; undefined if the call is allowed. */
export function refusedArguments(name: string, node: Node): Refusal | undefined {
  const args = Array.isArray(node.children) ? (node.children as Node[]) : [];
  if (name === 'range' || name === 'generate_series') {
    return (seriesLength(args) ?? Number.POSITIVE_INFINITY) <= MAX_SERIES
      ? undefined
      : refused(
          `${name} needs literals (numbers, or DATE '…' with INTERVAL 1 DAY), at most ${MAX_SERIES} values`,
        );
  }
  if (name === 'repeat' || name === 'lpad' || name === 'rpad') {
    const length = numberOf(args[1]);
    return length !== undefined && length <= MAX_LENGTH
      ? undefined
      : refused(`The second argument of ${name} must be a literal of at most ${MAX_LENGTH}`);
  }
  if (name === 'bar') {
    const width = args[3] && numberOf(args[3]);
    return args.length < 4 || (width !== undefined && width <= MAX_LENGTH)
      ? undefined
      : refused(`The fourth argument of bar must be a literal of at most ${MAX_LENGTH}`);
  }
  if (name === 'format' || name === 'printf') {
    return isShortFormat(textOf(args[0]))
      ? undefined
      : refused(`The first argument of ${name} must be a literal with widths of less than 1000`);
  }
  return undefined;
}

function refused(reason: string): Refusal {
  return { rule: 'argument_not_allowed', reason };
}

/** Rejects `*` and `{:{}}`, with which a width comes from another argument. */
function isShortFormat(format: string | undefined): boolean {
  return format !== undefined && !/\d{4}|\*|\{[^}]*\{/.test(format);
}

/** The number of values of a numeric or time series; undefined if its arguments are not literals. */
function seriesLength(args: Node[]): number | undefined {
  const numbers = args.map(numberOf);
  if (numbers.every((number) => number !== undefined)) {
    const [first = 0, second, step = 1] = numbers;
    return second === undefined ? Math.abs(first) : Math.abs((second - first) / step);
  }
  const [from, to] = args.map(timeOf);
  const step = secondsOf(args[2]);
  if (from === undefined || to === undefined || !step) return undefined;
  return Math.abs((to - from) / 1000 / step);
}

function numberOf(node: Node | undefined): number | undefined {
  const { negated, inner } = unwrapped(node);
  const value = constantOf(inner);
  return typeof value === 'number' ? (negated ? -value : value) : undefined;
}

function textOf(node: Node | undefined): string | undefined {
  const value = constantOf(node);
  return typeof value === 'string' ? value : undefined;
}

/** Milliseconds of a literal such as DATE '2024-01-01'. */
function timeOf(node: Node | undefined): number | undefined {
  const text = node?.class === 'CAST' ? textOf(node.child as Node) : undefined;
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

const SECONDS: Record<string, number> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  quarter: 7_776_000,
  year: 31_536_000,
};

/** The seconds of INTERVAL 3 MONTH, which is parsed as to_months(3), or of INTERVAL '3 months', which is a cast. */
function secondsOf(node: Node | undefined): number | undefined {
  const { negated, inner } = unwrapped(node);
  if (inner?.class === 'FUNCTION') {
    const unit = SECONDS[/^to_([a-z]+)s$/.exec(String(inner.function_name))?.[1] ?? ''];
    const count = numberOf((inner.children as Node[])[0]);
    return unit && count ? unit * count : undefined;
  }
  const [, count, unit = ''] = /^\s*(\d+) *([a-z]+?)s?\s*$/i.exec(textOf(inner) ?? '') ?? [];
  const seconds = SECONDS[unit.toLowerCase()];
  return seconds && count && !negated ? seconds * Number(count) : undefined;
}

/** Removes casts, the `trunc` of an INTERVAL, and a minus. */
function unwrapped(node: Node | undefined): { negated: boolean; inner: Node | undefined } {
  let negated = false;
  let inner = node;
  for (let depth = 0; depth < 8 && inner; depth++) {
    const [only, ...more] = Array.isArray(inner.children) ? (inner.children as Node[]) : [];
    const name = inner.class === 'FUNCTION' && more.length === 0 ? inner.function_name : undefined;
    if (inner.class === 'CAST') inner = inner.child as Node;
    else if (name === '-' || name === 'trunc') {
      negated = negated !== (name === '-');
      inner = only;
    } else break;
  }
  return { negated, inner };
}

function constantOf(node: Node | undefined): unknown {
  return node?.class === 'CONSTANT' ? (node.value as Node | undefined)?.value : undefined;
}

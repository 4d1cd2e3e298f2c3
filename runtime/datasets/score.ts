/** Scores an answer against the expectations of its case. */
import type { Expectation, ExpectedRow } from './cases.ts';

/** The part of a chat response that is scored. */
export interface Answer {
  agent_response: string;
  outputs: { agent: string; content: string; data: unknown }[];
}

/** Returns a sentence for each mismatch; an empty list if the answer is right. */
export function mismatches(expected: Expectation, answer: Answer): string[] {
  const { exact, contains = [], json = {}, rows, citation } = expected;
  return [
    ...(exact !== undefined && !isExact(exact, answer) ? ['the answer is a different text'] : []),
    ...contains.filter((text) => !has(answer.agent_response, text)).map((text) => `lacks "${text}"`),
    ...Object.entries(json).flatMap(([path, value]) => differs(path, value, answer)),
    ...(rows ? rowMisses(rows, answer) : []),
    ...(citation && !cites(citation, answer) ? [`does not cite this passage of ${citation.document}`] : []),
  ];
}

function isExact(text: string, { agent_response, outputs }: Answer): boolean {
  return [agent_response, ...outputs.map(({ content }) => content)].some(
    (answer) => answer.trim() === text.trim(),
  );
}

function has(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function differs(path: string, expected: unknown, answer: Answer): string[] {
  const found = at(answer, path);
  return same(found, expected) ? [] : [`${path} is ${JSON.stringify(found) ?? 'missing'}`];
}

/** Resolves `outputs[0].data.category`; undefined if the path does not exist. */
function at(value: unknown, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>(
    (inner, step) => (isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined),
    value,
  );
}

type Row = Record<string, unknown>;

/** How a result differs from the expected one. */
interface RowDifference {
  missing: ExpectedRow[];
  surplus: Row[];
}

// Enough to see what is wrong.
const MAX_SHOWN = 5;

/** Of several results, reports the one that differs least. */
function rowMisses(expected: ExpectedRow[], { outputs }: Answer): string[] {
  const [best] = outputs
    .flatMap(({ data }) => rowsIn(data))
    .map((rows) => difference(rows, expected))
    .sort((one, other) => sizeOf(one) - sizeOf(other));
  if (!best) return ['the answer has no SQL result'];
  return [
    ...describeRows('the SQL result lacks', best.missing),
    ...describeRows('the SQL result has unexpected', best.surplus),
  ];
}

/** In a project's graph, `data` may have any form. */
function rowsIn(data: unknown): Row[][] {
  const { rows, columns } = fieldsOf(data);
  return Array.isArray(rows) && Array.isArray(columns) ? [rows.filter(isObject)] : [];
}

function fieldsOf(data: unknown): Record<string, unknown> {
  return isObject(data) ? data : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Each row contains the cells of an expected one; the order of columns does not matter. */
function difference(rows: readonly Row[], expected: readonly ExpectedRow[]): RowDifference {
  const surplus = [...rows];
  const missing = expected.filter((cells) => {
    const found = surplus.findIndex((row) => hasCells(row, cells));
    if (found >= 0) surplus.splice(found, 1);
    return found < 0;
  });
  return { missing, surplus };
}

function sizeOf({ missing, surplus }: RowDifference): number {
  return missing.length + surplus.length;
}

function describeRows(what: string, rows: readonly (ExpectedRow | Row)[]): string[] {
  const lines = rows.slice(0, MAX_SHOWN).map((row) => `${what} ${JSON.stringify(row)}`);
  const omitted = rows.length - lines.length;
  return omitted > 0 ? [...lines, `${what} ${omitted} more such rows`] : lines;
}

function hasCells(row: Row, expected: ExpectedRow): boolean {
  if (Array.isArray(expected))
    return expected.every((cell) => Object.values(row).some((value) => same(value, cell)));
  return Object.entries(expected).every(([name, cell]) => Object.hasOwn(row, name) && same(row[name], cell));
}

function cites({ document, quote }: NonNullable<Expectation['citation']>, { outputs }: Answer): boolean {
  return outputs
    .flatMap(({ data }) => fieldsOf(data).citations)
    .map(fieldsOf)
    .some((cited) => cited.document === document && (quote === undefined || has(String(cited.quote), quote)));
}

/** Equal as JSON; computed numbers are compared to nine digits. */
function same(found: unknown, expected: unknown): boolean {
  if (typeof found === 'number' && typeof expected === 'number')
    return Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
  return Bun.deepEquals(found, expected);
}

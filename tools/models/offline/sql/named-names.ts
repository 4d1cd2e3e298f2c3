/** Finds tables and columns that a question names exactly. A statement without them would answer another question. */
import type { Table } from '../../../sql/engine.ts';
import { literal } from '../../../sql/quote.ts';

const QUOTES = /["“„`'‘«[]([^"”“`'’»\]]{1,200})["”“`'’»\]]/gu;
const WORDS = /[\p{L}_][\p{L}\p{N}_]*/gu;
/** Matches names that aren't ordinary words: with a digit, an underscore, or a capital letter inside. */
const MARKED = /\p{N}|_|\p{Ll}\p{Lu}/u;

/** The first of these names that is missing in the statement. */
export function unusedName(question: string, sql: string, tables: readonly Table[]): string | undefined {
  const quoted = Array.from(question.matchAll(QUOTES), ([, inside = '']) => inside.trim());
  const words = Array.from(question.matchAll(WORDS), ([word]) => word);
  const used = new Set(namesIn(sql));
  const names = tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
  return names.find((name) => {
    const isSame = (word: string) => word.toLowerCase() === name.toLowerCase();
    const isSaid = quoted.some(isSame) || (MARKED.test(name) && words.some(isSame));
    return isSaid && (!used.has(name) || (quoted.some(isSame) && sql.includes(literal(name.toLowerCase()))));
  });
}

/** Removes string literals. */
function namesIn(sql: string): string[] {
  const names = sql.replace(/'(?:[^']|'')*'/g, '').match(/"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
  return names.map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name));
}

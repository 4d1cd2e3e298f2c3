/**
 * Finds each PIVOT … ON without a list of values in a statement, and inserts a placeholder, so that the statement can be
 * parsed.
 */

/** The placeholder for the values until they are read. */
export const MARK = 'skein_values_of_this_column';

interface Piece {
  text: string;
  at: number;
  end: number;
  /** The nesting depth of parentheses. */
  depth: number;
}

/** Undefined if there is no such PIVOT. The result is checked like any other statement, so a wrong position is harmless. */
export function markPivots(sql: string): string | undefined {
  const pieces = piecesOf(sql);
  const items = pieces.flatMap(({ text }, index) =>
    /^PIVOT(?:_WIDER)?$/i.test(text) ? unlisted(pieces, index) : [],
  );
  let marked = sql;
  for (const { from, to } of items.sort((a, b) => b.to - a.to))
    marked = `${marked.slice(0, from)}(${marked.slice(from, to)}) IN ('${MARK}')${marked.slice(to)}`;
  return items.length > 0 ? marked : undefined;
}

const PIECES =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|[\p{L}_][\p{L}\p{N}_$]*|\S/gu;

function piecesOf(sql: string): Piece[] {
  let depth = 0;
  return Array.from(sql.matchAll(PIECES), ({ 0: text, index }) => {
    if (/^[)\]}]$/.test(text)) depth--;
    const piece = { text, at: index, end: index + text.length, depth };
    if (/^[([{]$/.test(text)) depth++;
    return piece;
  }).filter(({ text }) => !/^(--|\/\*)/.test(text));
}

const ENDS = /^(?:USING|GROUP|ORDER|LIMIT|OFFSET|UNION|EXCEPT|INTERSECT|;)$/i;

/** The expressions after the ON of a PIVOT without an IN. */
function unlisted(pieces: readonly Piece[], pivot: number): { from: number; to: number }[] {
  const depth = pieces[pivot]?.depth ?? 0;
  const after = pieces.slice(pivot + 1);
  const closed = after.findIndex((piece) => piece.depth < depth);
  const own = closed < 0 ? after : after.slice(0, closed);
  // Joins in the source have an ON, too.
  const on = own.findLastIndex((piece) => piece.depth === depth && /^ON$/i.test(piece.text));
  if (on < 0) return [];
  const rest = own.slice(on + 1);
  const end = rest.findIndex((piece) => piece.depth === depth && ENDS.test(piece.text));
  return split(end < 0 ? rest : rest.slice(0, end), depth)
    .filter((item) => !item.some((piece) => piece.depth === depth && /^IN$/i.test(piece.text)))
    .flatMap((item) => {
      const [first, last] = [item[0], item.at(-1)];
      return first && last ? [{ from: first.at, to: last.end }] : [];
    });
}

function split(pieces: readonly Piece[], depth: number): Piece[][] {
  const items: Piece[][] = [[]];
  for (const piece of pieces)
    if (piece.text === ',' && piece.depth === depth) items.push([]);
    else items.at(-1)?.push(piece);
  return items;
}

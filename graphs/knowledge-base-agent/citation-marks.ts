/** Parses citations in an answer, `[1]`, `[2][3]`, also `【1】` and `[^1]`, and their sentences. */

/** `[1]`, `[1, 2]`, also as the text of a link. */
const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?:\([^()\s]*\))?/g;
/** Several consecutive citations, with the space before them. */
const CITATIONS = new RegExp(`[ \\t]*${CITATION.source}(?:[ \\t]*${CITATION.source})*`, 'g');

/** `【1】`, `【1†source】`, `［1］` and `[^1]`, which some models write. */
const OTHER_MARKS = /[【［]([^【】［］\n]{1,80})[】］]|\[\^(\d{1,3})\]/g;
const NUMBERS = /^\s*\^?\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*(?:[†:‡].*)?$/;

/** Normalizes citations of every kind to `[1]`. */
export function withBrackets(text: string): string {
  return outsideOfCode(text, (prose) =>
    prose.replaceAll(OTHER_MARKS, (mark, wide: string | undefined, note: string | undefined) => {
      if (note !== undefined) return `[${note}]`;
      if (wide === undefined || !NUMBERS.test(wide)) return mark;
      return `[${(wide.split(/[†:‡]/)[0] ?? '').replace('^', '').trim()}]`;
    }),
  );
}

/** The text without any citation. */
export function withoutMarks(text: string): string {
  return withKnownCitations(withBrackets(text), 0).trim();
}

/** The cited numbers, without duplicates, in order. */
export function citedIn(text: string): number[] {
  const found: number[] = [];
  outsideOfCode(text, (prose) => {
    for (const [, numbers = ''] of prose.matchAll(CITATION))
      found.push(...Array.from(numbers.matchAll(/\d+/g), ([digits]) => Number(digits)));
    return prose;
  });
  return [...new Set(found)].toSorted((a, b) => a - b);
}

/** Splits each citation, `[1][2]`, and drops numbers above `most`. */
export function withKnownCitations(text: string, most: number): string {
  return outsideOfCode(text, (prose) =>
    prose.replaceAll(CITATIONS, (row) => {
      const known = citedIn(row).filter((n) => n >= 1 && n <= most);
      return known.length > 0 ? (/^[ \t]*/.exec(row)?.[0] ?? '') + known.map((n) => `[${n}]`).join('') : '';
    }),
  );
}

/** A sentence without its citations, as a single line. */
export function withoutCitations(sentence: string): string {
  const line = sentence.replaceAll(CITATION, ' ').replaceAll(/\s+/g, ' ');
  return line.replace(/ (?=[.!?,;:])/g, '').trim();
}

/** Changes every sentence of the text. A table row with a citation counts as one sentence. Headings and code stay unchanged. */
export function mapSentences(text: string, change: (sentence: string, line: string) => string): string {
  const ofRow = (row: string) => (citedIn(row).length > 0 ? change(row, row) : row);
  const ofLine = (line: string) =>
    sentencesOf(line)
      .map((sentence) => change(sentence, line))
      .join('');
  return outsideOfCode(text, (prose) =>
    prose
      .split('\n')
      .map((line) => {
        if (isRow(line)) return ofRow(line);
        return /^\s*#{1,6}\s/.test(line) ? line : ofLine(line);
      })
      .join('\n'),
  );
}

export function isRow(line: string): boolean {
  return /^\s*\|/.test(line);
}

/** The sentences of a line, each with its trailing space. Citations after the full stop belong to the sentence before it. */
function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?…。！？]["'”’)]*(?:\s*\[\d{1,3}\])*\s)(?=[^\s[]|\[\D)/);
}

/** Changes the text outside of code: in fences and between backticks, `[1]` is not a citation. */
function outsideOfCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}

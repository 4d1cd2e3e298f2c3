/** The citations in an answer: `[1]`, `[2][3]`, also as `【1】` and `[^1]`, and the sentences that they stand in. */

/** `[1]`, `[1, 2]`, also where somebody made a link of it. */
const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?:\([^()\s]*\))?/g;
/** Several in a row, with the space before them. */
const CITATIONS = new RegExp(`[ \\t]*${CITATION.source}(?:[ \\t]*${CITATION.source})*`, 'g');

/** `【1】`, `【1†source】`, `［1］` and `[^1]`, as some models cite. */
const OTHER_MARKS = /[【［]([^【】［］\n]{1,80})[】］]|\[\^(\d{1,3})\]/g;
const NUMBERS = /^\s*\^?\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*(?:[†:‡].*)?$/;

/** Citations of every kind as `[1]`. */
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

/** The numbers, each once, in their order. */
export function citedIn(text: string): number[] {
  const found: number[] = [];
  outsideOfCode(text, (prose) => {
    for (const [, numbers = ''] of prose.matchAll(CITATION))
      found.push(...Array.from(numbers.matchAll(/\d+/g), ([digits]) => Number(digits)));
    return prose;
  });
  return [...new Set(found)].toSorted((a, b) => a - b);
}

/** Each citation on its own, `[1][2]`, and only those of the first `most` numbers. */
export function withKnownCitations(text: string, most: number): string {
  return outsideOfCode(text, (prose) =>
    prose.replaceAll(CITATIONS, (row) => {
      const known = citedIn(row).filter((n) => n >= 1 && n <= most);
      return known.length > 0 ? (/^[ \t]*/.exec(row)?.[0] ?? '') + known.map((n) => `[${n}]`).join('') : '';
    }),
  );
}

/** A sentence on its own, in one line. */
export function withoutCitations(sentence: string): string {
  const line = sentence.replaceAll(CITATION, ' ').replaceAll(/\s+/g, ' ');
  return line.replace(/ (?=[.!?,;:])/g, '').trim();
}

/** The text with every sentence changed; a row of a table is one if it cites, headings and code are none. */
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

/** With the space after each; citations that follow the full stop belong to the sentence before it. */
function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?…。！？]["'”’)]*(?:\s*\[\d{1,3}\])*\s)(?=[^\s[]|\[\D)/);
}

/** In fences and between backticks, `[1]` is code. */
function outsideOfCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}

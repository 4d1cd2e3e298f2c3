/** Whether an answer's citations hold: a rule about words, cheap and plain enough to be said beside the answer. */
import type { Passage } from '../tools/library/library.ts';
import { contentWords, stem } from '../tools/model/offline/text.ts';

export interface CheckedAnswer {
  /** The answer with the citations that name a passage; sentences without support end with a dagger, explained at its end. */
  content: string;
  /** The numbers of the passages that it cites, in their order. */
  cited: number[];
  /** The sentences that were marked, without their citations. */
  unsupported: string[];
}

const DAGGER = '†';
const UNSUPPORTED = `${DAGGER} The passages cited for this do not say it in these words.`;
const UNCITED = 'This answer cites no passage of the knowledge base.';

/** A sentence of fewer words that carry meaning says too little to be judged. */
const FEWEST_WORDS = 3;
/** Of a sentence's words, how many its passages must have. */
const SHARE = 0.5;

/**
 * A sentence is supported where half of its words that carry meaning, and all of its numbers, stand in the passages
 * that it cites; one that cites none is held against those of its paragraph, else against those of the whole answer.
 */
export function checkCitations(answer: string, passages: readonly Passage[]): CheckedAnswer {
  const text = withoutEmptyCitations(answer.trim(), passages.length);
  const cited = citedIn(text);
  if (cited.length === 0) return { content: `${text}\n\n${UNCITED}`.trim(), cited, unsupported: [] };
  const vocabulary = passages.map(vocabularyOf);
  const unsupported: string[] = [];
  const mark = (sentence: string, paragraph: number[]) => {
    const own = citedIn(sentence);
    const held = own.length > 0 ? own : paragraph.length > 0 ? paragraph : cited;
    const said = sentence.replaceAll(CITATION, ' ');
    if (
      isSupported(
        said,
        held.map((n) => vocabulary[n - 1] ?? EMPTY),
      )
    )
      return sentence;
    unsupported.push(
      said
        .replaceAll(/\s+/g, ' ')
        .replace(/ (?=[.!?,;:])/g, '')
        .trim(),
    );
    return `${sentence.trimEnd()} ${DAGGER}${/\s*$/.exec(sentence)?.[0] ?? ''}`;
  };
  const marked = outsideOfCode(text, (prose) =>
    prose
      .split('\n')
      .map((line) =>
        isProse(line)
          ? sentencesOf(line)
              .map((one) => mark(one, citedIn(line)))
              .join('')
          : line,
      )
      .join('\n'),
  );
  return { content: unsupported.length > 0 ? `${marked}\n\n${UNSUPPORTED}` : marked, cited, unsupported };
}

/** `[1]`, `[1, 2]`, also where somebody made a link of it. */
const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?:\([^()\s]*\))?/g;
/** Several in a row, with the space before them. */
const CITATIONS = new RegExp(`[ \\t]*${CITATION.source}(?:[ \\t]*${CITATION.source})*`, 'g');

/** Each citation on its own, `[1][2]`, and only those of passages that there are. */
function withoutEmptyCitations(text: string, passages: number): string {
  return outsideOfCode(text, (prose) =>
    prose.replaceAll(CITATIONS, (row) => {
      const named = citedIn(row).filter((n) => n >= 1 && n <= passages);
      return named.length > 0 ? (/^[ \t]*/.exec(row)?.[0] ?? '') + named.map((n) => `[${n}]`).join('') : '';
    }),
  );
}

function citedIn(text: string): number[] {
  const found: number[] = [];
  outsideOfCode(text, (prose) => {
    for (const [, numbers = ''] of prose.matchAll(CITATION)) found.push(...numbersIn(numbers));
    return prose;
  });
  return [...new Set(found)].toSorted((a, b) => a - b);
}

function numbersIn(text: string): number[] {
  return Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits));
}

/** In fences and between backticks, `[1]` is code. */
function outsideOfCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}

/** Headings and rows of tables are no sentences. */
function isProse(line: string): boolean {
  return !/^\s*(?:#{1,6}\s|\|)/.test(line);
}

/** With the space after each; citations that follow the full stop belong to the sentence before it. */
function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?…。！？]["'”’)]*(?:\s*\[\d{1,3}\])*\s)(?=[^\s[]|\[\D)/);
}

type Vocabulary = ReadonlySet<string>;
const EMPTY: Vocabulary = new Set();

function vocabularyOf({ document, heading, context, text }: Passage): Vocabulary {
  return new Set([document, heading, context, text].flatMap((part) => [...meanings(part), ...figures(part)]));
}

function isSupported(sentence: string, vocabularies: Vocabulary[]): boolean {
  const words = [...new Set(meanings(sentence))];
  if (words.length < FEWEST_WORDS || sentence.trimEnd().endsWith('?')) return true;
  const isThere = (word: string) => vocabularies.some((vocabulary) => vocabulary.has(word));
  const said = words.filter(isThere).length;
  return said >= SHARE * words.length && figures(sentence.replace(/^\s*\d+[.)]\s/, '')).every(isThere);
}

function meanings(text: string): string[] {
  return contentWords(text).map(stem);
}

/** Numbers without what separates their digits: 1,200 is 1200. */
function figures(text: string): string[] {
  return Array.from(text.matchAll(/\d[\d.,]*/g), ([figure]) => `#${figure.replaceAll(/\D/g, '')}`);
}

/** Checks an answer against the passages that it cites. */
import type { Passage } from '../../tools/knowledge/library.ts';
import {
  citedIn,
  isRow,
  mapSentences,
  withBrackets,
  withKnownCitations,
  withoutCitations,
} from './citation-marks.ts';
import { isSupported, saysItAround, vocabularyOf } from './word-support.ts';

export interface CheckedAnswer {
  /** The answer without invalid citations; unsupported sentences end with a dagger, explained at its end. */
  content: string;
  /** The numbers of the cited passages, in order. */
  cited: number[];
  /** The cited passages whose sentences rely on the section around the passage. */
  around: number[];
  /** The marked sentences, without their citations. */
  unsupported: string[];
}

const DAGGER = '†';
const UNSUPPORTED = `${DAGGER} The passages cited for this do not say it in these words.`;
const UNCITED = 'This answer cites no passage of the knowledge base.';

/**
 * A sentence without citations is checked against the citations of its paragraph or, if there are none, of the whole answer.
 */
export function checkCitations(answer: string, passages: readonly Passage[]): CheckedAnswer {
  const text = withKnownCitations(withBrackets(answer.trim()), passages.length);
  const cited = citedIn(text);
  if (cited.length === 0)
    return { content: `${text}\n\n${UNCITED}`.trim(), cited, around: [], unsupported: [] };
  const vocabularies = new Map(passages.map((passage, index) => [index + 1, vocabularyOf(passage)]));
  const unsupported: string[] = [];
  const around = new Set<number>();

  function check(sentence: string, line: string): string {
    const numbers = [citedIn(sentence), citedIn(line), cited].find((some) => some.length > 0) ?? [];
    const held = numbers.flatMap((n) => vocabularies.get(n) ?? []);
    const claim = withoutCitations(sentence);
    const rules = { numbers: citedIn(sentence).length > 0, words: !isRow(sentence) };
    if (!isSupported(claim, held, rules)) {
      unsupported.push(claim);
      return marked(sentence);
    }
    for (const n of citedIn(sentence)) {
      const vocabulary = vocabularies.get(n);
      if (vocabulary && saysItAround(claim, vocabulary)) around.add(n);
    }
    return sentence;
  }

  const checked = mapSentences(text, check);
  const content = unsupported.length > 0 ? `${checked}\n\n${UNSUPPORTED}` : checked;
  return { content, cited, around: [...around], unsupported };
}

/** Adds a dagger to the sentence. In a table row, the dagger is inside the last cell. */
function marked(sentence: string): string {
  const [, claim = sentence, end = ''] = /^(.*?)((?:\s*\|)?\s*)$/s.exec(sentence) ?? [];
  return `${claim} ${DAGGER}${end}`;
}

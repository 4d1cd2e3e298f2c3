/** Parses a question into weighted terms, with corrections for misspelled ones. */
import { identifiersOf } from '../words/identifiers.ts';
import { smallWordsOf } from '../words/small-words.ts';
import { termOf, wordsOf } from '../words/terms.ts';
import type { Alike, Vocabulary } from '../words/vocabulary.ts';

export interface Wanted {
  /** The word as written in the question. */
  word: string;
  /** The weight of the word. */
  weight: number;
  /** The terms that count as occurrences of the word, each with its credit. */
  forms: Form[];
}

interface Form {
  term: string;
  /** A word of this term, for a lookup in the word index. */
  word: string;
  /** The probability that the user meant this word, from 0 to 1. */
  credit: number;
}

/** The maximum number of terms. A question is a sentence or two. */
const MAX_TERMS = 24;
// The weight of vague words such as "want", "get" and "good".
const VAGUE = 0.4;
// A word in this few passages may be a misspelling of a much more frequent similar one.
const SUSPECT_COUNT = 2;
const SUSPECT_SHARE = 1 / 10_000;
const MUCH_MORE = 40;
// Identifiers usually are the subject of a question.
const NAMED = 1.5;
// In a question in another language, a word that no document contains usually belongs to that language, and a similar
// word of the documents is less likely to be meant: "rekursiv" is "recursive", but "Datei" is not "date".
const FOREIGN = 0.5;
const MAX_SIMILAR = 3;
const LONG = 8;
const CREDIT = [1, 0.85, 0.7];

export function wantedOf(query: string, vocabulary: Vocabulary): Wanted[] {
  const words = wordsOf(query);
  const { isOther, isSmall, isVague } = smallWordsOf(words);
  const named = new Set(identifiersOf(query).flatMap((name) => wordsOf(name).map(termOf)));
  const wanted = new Map<string, Wanted>();
  for (const word of words) {
    const term = termOf(word);
    if (isSmall(word) || wanted.has(term)) continue;
    const forms = formsOf(word, term, vocabulary).map((form) =>
      isOther && form.term !== term ? { ...form, credit: form.credit * FOREIGN } : form,
    );
    const best = Math.max(...forms.map((form) => form.credit));
    const known = forms.filter(({ credit }) => credit === best).map((form) => vocabulary.weight(form.term));
    const isUnknown = isOther && vocabulary.count(term) === 0;
    const share = named.has(term) ? NAMED : isVague(word) ? VAGUE : isUnknown ? FOREIGN : 1;
    wanted.set(term, { word, weight: Math.min(...known) * share, forms });
  }
  return [...wanted.values()].sort((a, b) => b.weight - a.weight).slice(0, MAX_TERMS);
}

function formsOf(word: string, term: string, vocabulary: Vocabulary): Form[] {
  const own: Form = { term, word, credit: 1 };
  const count = vocabulary.count(term);
  if (count > Math.max(SUSPECT_COUNT, vocabulary.passages() * SUSPECT_SHARE)) return [own];
  const alike = alikeOf(word, vocabulary).filter(
    (other) => other.count >= (count === 0 ? 1 : count * MUCH_MORE),
  );
  const forms = alike.map(({ term, word, edits }) => ({ term, word, credit: CREDIT[edits] ?? 0 }));
  return count === 0 && forms.length > 0 ? forms : [own, ...forms];
}

/** The most frequent of the words with the fewest mistakes, one per term. */
function alikeOf(word: string, vocabulary: Vocabulary): Alike[] {
  // Numbers have no typos, and a short word differs from too many others by one letter.
  if (!/^\p{L}{4,}$/u.test(word)) return [];
  const found = vocabulary.alike(word, word.length >= 7 ? 2 : 1).filter((other) => mayBe(word, other));
  const least = found[0]?.edits;
  const terms = new Map<string, Alike>();
  for (const each of found) if (each.edits === least && !terms.has(each.term)) terms.set(each.term, each);
  return [...terms.values()].slice(0, MAX_SIMILAR);
}

/**
 * Whether a word may be a misspelling of the other. People rarely misspell the first letter, and too many short words only
 * differ in it: "hiking", "liking".
 */
function mayBe(word: string, other: Alike): boolean {
  return word[0] === other.word[0] || (word.length >= LONG && other.edits === 1);
}

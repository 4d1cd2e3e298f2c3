/** Finds the topic of a message, in one to four of its words. */

import { BARE_ADJECTIVES, DETERMINERS, NOUNS_TOO, STOP_WORDS, VAGUE_WORDS } from './stop-words.ts';
import { clauses, words } from './text.ts';

const LONGEST_TOPIC = 4;
/** In scripts without spaces, a whole sentence is one "word", which is not a topic. */
const LONGEST_WORD = 24;

interface Phrase {
  words: string[];
  introduced: boolean;
}

/** A noun phrase of the text in lower case, otherwise `general`. */
export function topic(text: string): string {
  const phrases = clauses(text).flatMap(phrasesOf);
  const counts = new Map<string, number>();
  for (const word of phrases.flatMap((phrase) => phrase.words)) counts.set(word, (counts.get(word) ?? 0) + 1);

  let best: { words: string[]; score: number } = { words: ['general'], score: 0 };
  for (const phrase of phrases) {
    const repeated = phrase.words.reduce((sum, word) => sum + (counts.get(word) ?? 1) - 1, 0);
    const score =
      Math.min(phrase.words.length, 3) + (phrase.introduced ? 1 : 0) + 0.5 * Math.min(repeated, 6);
    if (score > best.score) best = { words: phrase.words, score };
  }
  return best.words.join(' ');
}

/** The sequences of content words in a clause. */
function phrasesOf(clause: string): Phrase[] {
  const found: Phrase[] = [];
  let run: string[] = [];
  let introduced = false;
  let previous = '';
  const close = () => {
    if (run.some((word) => word.length > 1 && /\p{L}/u.test(word)))
      found.push({ words: run.slice(0, LONGEST_TOPIC), introduced });
    run = [];
  };
  for (const word of words(clause).map((each) => each.replace(/'s$/, ''))) {
    const afterDeterminer = DETERMINERS.has(previous);
    if (!afterDeterminer || !BARE_ADJECTIVES.has(word)) previous = word;
    const isPart = afterDeterminer
      ? isNamed(word) || NOUNS_TOO.has(word)
      : isNamed(word) && !isVerbForm(word);
    if (!isPart) {
      close();
      continue;
    }
    if (run.length === 0) introduced = afterDeterminer;
    run.push(word);
  }
  close();
  return found;
}

function isNamed(word: string): boolean {
  return !STOP_WORDS.has(word) && !VAGUE_WORDS.has(word) && word.length <= LONGEST_WORD;
}

function isVerbForm(word: string): boolean {
  return word.length > 4 && /(?:[^e]ed|ly)$/.test(word);
}

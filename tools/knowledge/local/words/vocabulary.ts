/** The words of all passages: how many passages contain each word, and corrections for misspelled words. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { editsBetween } from './edits.ts';
import { termOf } from './terms.ts';
import { openWordTable } from './word-table.ts';

export interface Vocabulary {
  /** The number of passages. */
  passages(): number;
  /** The average number of words per passage. */
  length(): number;
  /** The number of passages that contain a word of this term. */
  count(term: string): number;
  /** The weight of a term. Rarer terms have higher weights. */
  weight(term: string): number;
  /**
   * Known words that differ from `word` by at most this many spelling mistakes: those with the fewest mistakes first, then the
   * most frequent.
   */
  alike(word: string, edits: number): Alike[];
  learn(texts: Iterable<string>): Promise<void>;
}

export interface Alike {
  word: string;
  term: string;
  edits: number;
  /** The number of passages with a word of the term. */
  count: number;
}

// Yields to other work after this long.
const SLICE_MS = 4;

export function openVocabulary(): Vocabulary {
  const words: string[] = [];
  // For each word: a bit mask of its letters, in which an edit changes at most two bits, and the number of its term.
  const letters: number[] = [];
  const termOfWord: number[] = [];
  const terms = new Map<string, number>();
  const counts: number[] = [];
  const lastSeen: number[] = [];
  const table = openWordTable(add);
  let passages = 0;
  let length = 0;

  function add(word: string): void {
    // A copy: a substring would keep the whole text in memory.
    const own = Buffer.from(word).toString();
    const name = termOf(own);
    const term = terms.get(name) ?? counts.length;
    if (term === counts.length) {
      terms.set(name, term);
      counts.push(0);
      lastSeen.push(0);
    }
    words.push(own);
    letters.push(lettersOf(own));
    termOfWord.push(term);
  }

  function meet(word: number): void {
    length++;
    const term = termOfWord[word] ?? 0;
    if (lastSeen[term] === passages) return;
    lastSeen[term] = passages;
    counts[term] = (counts[term] ?? 0) + 1;
  }

  const count = (term: string) => counts[terms.get(term) ?? -1] ?? 0;

  return {
    passages: () => passages,
    length: () => (passages === 0 ? 1 : length / passages),
    count,
    weight(term) {
      const having = count(term) || 0.5;
      return Math.log(1 + Math.max(0, passages - having + 0.5) / (having + 0.5));
    },
    alike(word, most) {
      const mask = lettersOf(word);
      const found: Alike[] = [];
      for (let position = 0; position < words.length; position++) {
        if (bitsOf((letters[position] ?? 0) ^ mask) > 2 * most) continue;
        const other = words[position] ?? '';
        const edits = editsBetween(word, other, most);
        if (edits !== undefined && edits > 0)
          found.push({
            word: other,
            term: termOf(other),
            edits,
            count: counts[termOfWord[position] ?? 0] ?? 0,
          });
      }
      return found.sort((a, b) => a.edits - b.edits || b.count - a.count || (a.word < b.word ? -1 : 1));
    },
    async learn(texts) {
      let turn = performance.now();
      for (const text of texts) {
        passages++;
        table.each(text, meet);
        if (performance.now() - turn < SLICE_MS) continue;
        await nextTurn();
        turn = performance.now();
      }
    },
  };
}

function lettersOf(word: string): number {
  let mask = 0;
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31);
  return mask;
}

function bitsOf(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

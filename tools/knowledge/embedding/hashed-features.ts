/** The features of a text that are hashed, their positions in the vector, and their weights. */
import { STOP_WORDS, VAGUE_WORDS } from '../../models/offline/language/stop-words.ts';
import { stem } from '../../models/offline/language/text.ts';

export interface HashedFeatures {
  dimension: number;
  /** The number of positions per word. With one position, two words with the same position would be identical. */
  wordPlaces: number;
  /** A word's own weight is 1. */
  stopWordWeight: number;
  vagueWordWeight: number;
  /** The weight of all parts of a word together, relative to that of the word. */
  gramsWeight: number;
  /** The lengths of the parts in characters. */
  grams: readonly number[];
}

/** Returns a function that adds a text's features to a vector. Known words take a tenth of the time. */
export function openFeatures({
  dimension,
  wordPlaces,
  stopWordWeight,
  vagueWordWeight,
  gramsWeight,
  grams,
}: HashedFeatures) {
  const known = new Map<string, number>();
  // One table for all words, because an array per word would slow down the garbage collector.
  const table = new Int32Array(TABLE_SIZE);
  let used = 0;

  /** The index of the word's entry in `table`: the number of positions, the positions of the word, and those of its parts. */
  function entryOf(word: string): number {
    const cached = known.get(word);
    if (cached !== undefined) return cached;
    const edged = `<${word}>`;
    if (used + 1 + wordPlaces + edged.length * grams.length > TABLE_SIZE) {
      known.clear();
      used = 0;
    }
    const entry = used++;
    const stemmed = stem(word);
    for (let at = 0; at < wordPlaces; at++) table[used++] = signedPositionOf(`${at} ${stemmed}`);
    for (const size of grams)
      for (let at = 0; at + size <= edged.length; at++)
        table[used++] = signedPositionOf(edged, at, at + size);
    table[entry] = used - entry - 1;
    // A copy: a substring would keep the whole text in memory.
    known.set(Buffer.from(word).toString(), entry);
    return entry;
  }

  function weightOf(word: string): number {
    if (STOP_WORDS.has(word)) return stopWordWeight;
    return VAGUE_WORDS.has(word) ? vagueWordWeight : 1;
  }

  /** The position, counted from 1. Its sign says whether to add or subtract. */
  function signedPositionOf(text: string, start = 0, end = text.length): number {
    const hash = hashOf(text, start, end);
    const position = (hash % dimension) + 1;
    return hash >= HALF ? -position : position;
  }

  return {
    addTo(vector: Float32Array, text: string): void {
      for (const [word, count] of countsOf(text)) {
        const entry = entryOf(word);
        const places = table[entry] ?? 0;
        // A word that occurs often adds little beyond its second occurrence.
        const whole = weightOf(word) * (1 + Math.log(count));
        const share = whole / Math.sqrt(wordPlaces);
        const part = (whole * gramsWeight) / Math.sqrt(Math.max(1, places - wordPlaces));
        for (let at = 0; at < places; at++) {
          const position = table[entry + 1 + at] ?? 0;
          const index = Math.abs(position) - 1;
          const value = at < wordPlaces ? share : part;
          vector[index] = (vector[index] ?? 0) + (position > 0 ? value : -value);
        }
      }
    },
  };
}

// The English prose of a library has about 20,000 words, with 20 positions each.
const TABLE_SIZE = 500_000;

// In scripts without spaces between words, every two adjacent characters count as a word.
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const WORD = new RegExp(`[${UNSPACED}]{2}(?=([${UNSPACED}]?))|[\\p{L}\\p{N}]{1,24}`, 'gu');

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase();
  const add = (word: string) => counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, next] of plain.matchAll(WORD)) {
    add(word);
    // The match has the first two of three characters; the last two are another word that overlaps it.
    if (next) add([...word].slice(1).join('') + next);
  }
  return counts;
}

const HALF = 2 ** 31;

/**
 * FNV-1a, followed by the final step of Murmur3, without which similar features would collide. Returns 32 bits, all of which
 * can be used.
 */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

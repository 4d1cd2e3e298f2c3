/** What of a text is hashed, to where in the vector, and how much it weighs. */
import { STOP_WORDS, VAGUE_WORDS } from '../../model/offline/stop-words.ts';
import { stem } from '../../model/offline/text.ts';

export interface HashedFeatures {
  dimension: number;
  /** To how many places a word is hashed: with one, two words that meet there are the same. */
  wordPlaces: number;
  /** A word's own weight is 1. */
  stopWordWeight: number;
  vagueWordWeight: number;
  /** Of all parts of a word together, as against the word. */
  gramsWeight: number;
  /** How many characters they have. */
  grams: readonly number[];
}

/** Gives what adds a text's features to a vector. Words that were met before cost a tenth. */
export function openFeatures({
  dimension,
  wordPlaces,
  stopWordWeight,
  vagueWordWeight,
  gramsWeight,
  grams,
}: HashedFeatures) {
  const known = new Map<string, Features>();

  function featuresOf(word: string): Features {
    const kept = known.get(word);
    if (kept) return kept;
    const stemmed = stem(word);
    const places = Array.from({ length: wordPlaces }, (_, at) => placeOf(`${at} ${stemmed}`));
    const edged = `<${word}>`;
    for (const size of grams)
      for (let at = 0; at + size <= edged.length; at++) places.push(placeOf(edged.slice(at, at + size)));
    const features = { weight: weightOf(word), places: Int32Array.from(places) };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(word, features);
    return features;
  }

  function weightOf(word: string): number {
    if (STOP_WORDS.has(word)) return stopWordWeight;
    return VAGUE_WORDS.has(word) ? vagueWordWeight : 1;
  }

  /** Counted from 1, so that its sign says whether it is added or taken away. */
  function placeOf(feature: string): number {
    const hash = hashOf(feature);
    const place = (hash % dimension) + 1;
    return hash >= HALF ? -place : place;
  }

  return {
    addTo(vector: Float32Array, text: string): void {
      for (const [word, count] of countsOf(text)) {
        const { weight, places } = featuresOf(word);
        // A word that is said often says little more than one that is said twice.
        const whole = weight * (1 + Math.log(count));
        const share = whole / Math.sqrt(wordPlaces);
        const part = (whole * gramsWeight) / Math.sqrt(Math.max(1, places.length - wordPlaces));
        for (let at = 0; at < places.length; at++) {
          const place = places[at] ?? 0;
          const index = Math.abs(place) - 1;
          const value = at < wordPlaces ? share : part;
          vector[index] = (vector[index] ?? 0) + (place > 0 ? value : -value);
        }
      }
    },
  };
}

interface Features {
  weight: number;
  /** The word's own, then those of its parts. */
  places: Int32Array;
}

// English prose of a library has about so many words; they take 6 MB.
const MAX_KNOWN = 20_000;

// Scripts that put no space between words: there every two neighbours count as one.
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
    // The match is the first and second of these; the second and third overlap it.
    if (next) add([...word].slice(1).join('') + next);
  }
  return counts;
}

const HALF = 2 ** 31;

/** FNV-1a, then the last step of Murmur3, without which near features would meet: 32 bits, all of them used. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

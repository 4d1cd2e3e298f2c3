/** Numbers the words of texts without creating a string per occurrence, because a library has millions of them. */
import { wordsOf } from './terms.ts';

export interface WordTable {
  /** Calls `tell` with the number of each word of a text, in order. Numbers start at 0. */
  each(text: string, tell: (number: number) => void): void;
}

// ASCII letters and digits in lower case; 0 ends a word.
const LOWER = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z0-9]/i.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});
const FIRST_SLOTS = 1 << 12;
// Signed integers, like the values of the typed arrays.
const SEED = 0x811c9dc5 | 0;
const OTHER_SEED = 0x9747b28c | 0;

/**
 * Calls `onNew` once for each new word, before its number is passed to `tell`. Words are identified by two hashes with 64 bits
 * in total (FNV-1a, and one with Murmur3's multiplier).
 */
export function openWordTable(onNew: (word: string) => void): WordTable {
  let slots = new Int32Array(FIRST_SLOTS);
  let hashes = new Int32Array(FIRST_SLOTS / 2);
  let others = new Int32Array(FIRST_SLOTS / 2);
  let size = 0;

  function grow(): void {
    slots = new Int32Array(slots.length * 2);
    hashes = extended(hashes);
    others = extended(others);
    for (let number = 0; number < size; number++) slots[freeSlot(hashes[number] ?? 0)] = number + 1;
  }

  function freeSlot(hash: number): number {
    let slot = hash & (slots.length - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
    return slot;
  }

  /** Undefined for a new word. */
  function find(hash: number, other: number): number | undefined {
    for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const number = (slots[slot] ?? 0) - 1;
      if (number < 0) return undefined;
      if (hashes[number] === hash && others[number] === other) return number;
    }
  }

  function numberOf(hash: number, other: number, word: () => string): number {
    const known = find(hash, other);
    if (known !== undefined) return known;
    if (size >= hashes.length) grow();
    slots[freeSlot(hash)] = size + 1;
    hashes[size] = hash;
    others[size] = other;
    onNew(word());
    return size++;
  }

  /** Returns the position of the first non-ASCII character, from which on another method is needed, or the end of the text. */
  function eachAscii(text: string, tell: (number: number) => void): number {
    let hash = SEED;
    let other = OTHER_SEED;
    let start = -1;
    for (let at = 0; at <= text.length; at++) {
      const character = at < text.length ? text.charCodeAt(at) : 0;
      if (character > 127) return start < 0 ? at : start;
      const code = LOWER[character] ?? 0;
      if (code !== 0) {
        if (start < 0) start = at;
        hash = Math.imul(hash ^ code, 0x01000193);
        other = Math.imul(other ^ code, 0x5bd1e995) + 1;
      } else if (start >= 0) {
        const from = start;
        tell(numberOf(hash, other | 0, () => text.slice(from, at).toLowerCase()));
        hash = SEED;
        other = OTHER_SEED;
        start = -1;
      }
    }
    return text.length;
  }

  function each(text: string, tell: (number: number) => void): void {
    const rest = eachAscii(text, tell);
    if (rest >= text.length) return;
    for (const word of wordsOf(text.slice(rest))) tell(numberOf(...hashesOf(word), () => word));
  }

  return { each };
}

function hashesOf(word: string): [number, number] {
  let hash = SEED;
  let other = OTHER_SEED;
  for (let at = 0; at < word.length; at++) {
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
    other = Math.imul(other ^ word.charCodeAt(at), 0x5bd1e995) + 1;
  }
  return [hash, other | 0];
}

function extended(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}

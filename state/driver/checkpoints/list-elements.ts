/** Splits long lists into elements, which are stored once per thread and channel. */

import { pack } from '../../checkpoints/serializer.ts';
import { startsNodes } from './next-nodes.ts';

/** A value as text. If the elements of its list are stored separately, they are in `elements`, and `text` has an empty list. */
export interface EncodedValue {
  text: string;
  elements: string[] | null;
}

/** The elements of a list in order, each with the number under which it is stored. */
export interface NumberedList {
  texts: string[];
  seqs: number[];
}

export type Range = [from: number, to: number];

// Measured with windows of 20 messages of 100 to 8,000 characters: from about 1,000 characters on, a turn is cheaper with
// split lists than with whole ones, and thresholds around 2,048 cost the same. A higher one takes more space, because
// every kept checkpoint has its own copy of a whole list.
const SPLIT_CHARACTERS = 2_048;
// A row takes about 70 bytes in addition to its text, so a list of short elements, such as a vector, is smaller as one value.
const ELEMENT_CHARACTERS = 24;

/** Encodes a value for storage. Splits a long list, or a delta channel's snapshot of one. */
export function encodeValue(channel: string, value: unknown): EncodedValue {
  const packed = pack(value);
  // Don't split LangGraph's internal lists: the next step consumes them, and readers need their values.
  const list = startsNodes(channel) ? undefined : listIn(packed);
  if (!list) return { text: JSON.stringify(packed), elements: null };
  const elements = list.map((element) => JSON.stringify(element));
  const length = elements.reduce((sum, element) => sum + element.length, 0);
  if (length < SPLIT_CHARACTERS || length < ELEMENT_CHARACTERS * list.length)
    return { text: filled(emptied(packed), elements), elements: null };
  return { text: emptied(packed), elements };
}

/** The text of a whole value: inserts `elements` into the empty list of `text`. */
export function filled(text: string, elements: string[]): string {
  return text.replace('[]', () => `[${elements.join(',')}]`);
}

export interface NumberedElements {
  list: NumberedList;
  /** New elements, each with its number. */
  added: [number, string][];
}

/**
 * Finds each of `texts` among the elements of `known`, any other version of the list. New texts get numbers from `next` on.
 * Compares texts instead of ids, because a message that was changed in place keeps its id.
 */
export function numberElements(texts: string[], known: NumberedList, next: number): NumberedElements {
  let position = 0;
  while (position < texts.length && texts[position] === known.texts[position]) position++;
  const seqs = known.seqs.slice(0, position);
  const sharedTexts = known.texts.slice(0, position);
  const added: NumberedElements['added'] = [];
  const indexes = position < texts.length ? indexesFrom(known.texts, position) : undefined;
  let expected = position;
  for (const text of texts.slice(position)) {
    const index = known.texts[expected] === text ? expected : indexes?.get(text);
    if (index === undefined) added.push([next, text]);
    seqs.push(index === undefined ? next++ : (known.seqs[index] as number));
    // Use the known string, so that the versions of a list share their texts in memory.
    sharedTexts.push(index === undefined ? text : (known.texts[index] as string));
    if (index !== undefined) expected = index + 1;
  }
  return { list: { texts: sharedTexts, seqs }, added };
}

/** Joins consecutive numbers to ranges, in the order of the list. */
export function rangesOf(seqs: number[]): Range[] {
  const ranges: Range[] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === seq) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}

/** The numbers from 0 to `last` that are in none of `ranges`. */
export function gapsBetween(ranges: Range[], last: number): Range[] {
  const gaps: Range[] = [];
  let free = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > free) gaps.push([free, from - 1]);
    free = Math.max(free, to + 1);
  }
  if (free <= last) gaps.push([free, last]);
  return gaps;
}

/** The first index of each text from `start` on. */
function indexesFrom(texts: string[], start: number): Map<string, number> {
  const indexes = new Map<string, number>();
  for (let index = texts.length - 1; index >= start; index--) indexes.set(texts[index] as string, index);
  return indexes;
}

function listIn(packed: unknown): unknown[] | undefined {
  if (Array.isArray(packed)) return packed;
  return isSnapshot(packed) && Array.isArray(packed.v) ? packed.v : undefined;
}

function emptied(packed: unknown): string {
  return isSnapshot(packed) ? JSON.stringify({ ...packed, v: [] }) : '[]';
}

function isSnapshot(packed: unknown): packed is { $: 'delta'; v: unknown } {
  return typeof packed === 'object' && packed !== null && '$' in packed && packed.$ === 'delta';
}

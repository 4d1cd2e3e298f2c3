/** Lists as stored elements: which lists are split, which of their elements are stored already, and where. */

import { pack } from '../../serializer.ts';
import { startsNodes } from './next-nodes.ts';

/** A value as text. `elements` are those of its list where each is stored for itself; `text` then has an empty list. */
export interface EncodedValue {
  text: string;
  elements: string[] | null;
}

/** A list's elements in order, each with the number under which it is stored. */
export interface NumberedList {
  texts: string[];
  seqs: number[];
}

export type Range = [from: number, to: number];

// Measured with windows of 20 messages of 100 to 8,000 characters: a turn costs the same around here, and less than with
// whole lists from about 1,000 on. What is stored whole until a list is this long adds up while checkpoints are kept.
const SPLIT_CHARACTERS = 2_048;
// A row costs about 70 bytes beside its text: a vector of numbers is smaller as one value.
const ELEMENT_CHARACTERS = 24;

/** `value` as it is stored: in elements where it is a long list, or a delta channel's snapshot of one. */
export function encodeValue(channel: string, value: unknown): EncodedValue {
  const packed = pack(value);
  // LangGraph's own lists are used up by the next step, and readers look for them.
  const list = startsNodes(channel) ? undefined : listIn(packed);
  if (!list) return { text: JSON.stringify(packed), elements: null };
  const elements = list.map((element) => JSON.stringify(element));
  const length = elements.reduce((sum, element) => sum + element.length, 0);
  if (length < SPLIT_CHARACTERS || length < ELEMENT_CHARACTERS * list.length)
    return { text: filled(emptied(packed), elements), elements: null };
  return { text: emptied(packed), elements };
}

/** The text of a whole value: `text` with `elements` in its empty list. */
export function filled(text: string, elements: string[]): string {
  return text.replace('[]', () => `[${elements.join(',')}]`);
}

export interface NumberedElements {
  list: NumberedList;
  /** The elements that are new, each with its number. */
  added: [number, string][];
}

/**
 * Finds each of `texts` among the elements of `known`, whichever version of the list that is; one that is not there gets
 * a number from `next` on. Compares texts: a message that was changed in place has kept its id.
 */
export function numberElements(texts: string[], known: NumberedList, next: number): NumberedElements {
  let position = 0;
  while (position < texts.length && texts[position] === known.texts[position]) position++;
  const seqs = known.seqs.slice(0, position);
  const kept = known.texts.slice(0, position);
  const added: NumberedElements['added'] = [];
  const places = position < texts.length ? positionsFrom(known.texts, position) : undefined;
  let expected = position;
  for (const text of texts.slice(position)) {
    const place = known.texts[expected] === text ? expected : places?.get(text);
    if (place === undefined) added.push([next, text]);
    seqs.push(place === undefined ? next++ : (known.seqs[place] as number));
    // The known string, so that versions of a list share their texts in memory.
    kept.push(place === undefined ? text : (known.texts[place] as string));
    if (place !== undefined) expected = place + 1;
  }
  return { list: { texts: kept, seqs }, added };
}

/** Consecutive numbers as ranges, in the order of the list. */
export function rangesOf(seqs: number[]): Range[] {
  const ranges: Range[] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === seq) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}

/** What lies between `ranges`, from 0 to `last`. */
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

/** Where each text stands, from `start` on. The first place counts. */
function positionsFrom(texts: string[], start: number): Map<string, number> {
  const places = new Map<string, number>();
  for (let place = texts.length - 1; place >= start; place--) places.set(texts[place] as string, place);
  return places;
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

/** What the place and the value of an item may be. */
import { InvalidNamespaceError, validateNamespace } from '@langchain/langgraph-checkpoint';
import { encode } from '../serializer.ts';

const MOST_LABELS = 64;
const MOST_PLACE_CHARACTERS = 2_000;
const MOST_VALUE_CHARACTERS = 8 * 1024 * 1024;

/** A key, a value or a time to live that cannot be stored. */
export class InvalidItemError extends Error {
  override readonly name = 'InvalidItemError';
}

/** Throws InvalidNamespaceError. `allowEmpty`: for reading, where the empty one is the prefix of all. */
export function checkNamespace(namespace: unknown, { allowEmpty } = { allowEmpty: false }): void {
  if (!Array.isArray(namespace)) throw new InvalidNamespaceError('A namespace must be a list of strings.');
  validateNamespace(namespace, { allowEmpty, allowReservedRoot: true });
  // LangGraph has allowed colons: here they stand between the labels.
  if (namespace.some((label: string) => label.includes(':') || !label.isWellFormed()))
    throw new InvalidNamespaceError('Namespace labels cannot contain colons or halves of surrogate pairs.');
  if (namespace.length > MOST_LABELS)
    throw new InvalidNamespaceError(
      `A namespace has at most ${MOST_LABELS} labels, not ${namespace.length}.`,
    );
  const { length } = namespace.join(':');
  if (length > MOST_PLACE_CHARACTERS)
    throw new InvalidNamespaceError(
      `The labels of a namespace have at most ${MOST_PLACE_CHARACTERS} characters together, not ${length}.`,
    );
}

export function checkKey(key: unknown): void {
  if (typeof key !== 'string') throw new InvalidItemError('An item’s key must be a string.');
  if (key.includes('\0') || !key.isWellFormed())
    throw new InvalidItemError('An item’s key cannot contain NUL bytes or halves of surrogate pairs.');
  if (key.length > MOST_PLACE_CHARACTERS)
    throw new InvalidItemError(
      `An item’s key has at most ${MOST_PLACE_CHARACTERS} characters, not ${key.length}.`,
    );
}

/** The value as it is stored. */
export function encodeValue(value: unknown): string {
  if (value === undefined)
    throw new InvalidItemError('An item’s value cannot be undefined; null deletes the item.');
  const text = encodable(value);
  if (text.length > MOST_VALUE_CHARACTERS)
    throw new InvalidItemError(
      `An item’s value has at most ${MOST_VALUE_CHARACTERS} characters as JSON, not ${text.length}.`,
    );
  return text;
}

function encodable(value: unknown): string {
  try {
    return encode(value);
  } catch (cause) {
    // What refers to itself is nested without end.
    if (!(cause instanceof RangeError)) throw cause;
    throw new InvalidItemError('An item’s value cannot refer to itself or be nested this deeply.', { cause });
  }
}

export function checkRange(limit: number, offset: number): void {
  if (!(limit >= 0 && offset >= 0))
    throw new InvalidItemError('limit and offset must be numbers of at least 0.');
}

/** Milliseconds of a time to live in minutes; null where there is none. */
export function timeToLive(minutes: unknown): number | null {
  if (minutes === undefined || minutes === null) return null;
  if (typeof minutes !== 'number' || !(minutes > 0) || minutes > MOST_MINUTES)
    throw new InvalidItemError(
      `An item’s ttl must be a number of minutes above 0 and at most ${MOST_MINUTES}.`,
    );
  return Math.ceil(minutes * 60_000);
}

/** A hundred years. */
export const MOST_MINUTES = 52_560_000;

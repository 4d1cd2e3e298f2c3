/** Validates the namespace, key, value and time to live of an item. */
import { InvalidNamespaceError, validateNamespace } from '@langchain/langgraph-checkpoint';
import { encode } from '../checkpoints/serializer.ts';

const MAX_LABELS = 64;
const MAX_NAME_CHARACTERS = 2_000;
const MAX_VALUE_CHARACTERS = 8 * 1024 * 1024;

/** A key, a value or a time to live that cannot be stored. */
export class InvalidItemError extends Error {
  override readonly name = 'InvalidItemError';
}

/** Throws InvalidNamespaceError. `allowEmpty`: for reads, in which an empty namespace is the prefix of all. */
export function checkNamespace(namespace: unknown, { allowEmpty } = { allowEmpty: false }): void {
  if (!Array.isArray(namespace)) throw new InvalidNamespaceError('A namespace must be a list of strings.');
  validateNamespace(namespace, { allowEmpty, allowReservedRoot: true });
  // LangGraph allows colons in labels. Here they separate the labels in the stored form.
  if (namespace.some((label: string) => label.includes(':') || !label.isWellFormed()))
    throw new InvalidNamespaceError('Namespace labels cannot contain colons or halves of surrogate pairs.');
  if (namespace.length > MAX_LABELS)
    throw new InvalidNamespaceError(`A namespace has at most ${MAX_LABELS} labels, not ${namespace.length}.`);
  const { length } = namespace.join(':');
  if (length > MAX_NAME_CHARACTERS)
    throw new InvalidNamespaceError(
      `The labels of a namespace have at most ${MAX_NAME_CHARACTERS} characters together, not ${length}.`,
    );
}

export function checkKey(key: unknown): void {
  if (typeof key !== 'string') throw new InvalidItemError('An item’s key must be a string.');
  if (key.includes('\0') || !key.isWellFormed())
    throw new InvalidItemError('An item’s key cannot contain NUL bytes or halves of surrogate pairs.');
  if (key.length > MAX_NAME_CHARACTERS)
    throw new InvalidItemError(
      `An item’s key has at most ${MAX_NAME_CHARACTERS} characters, not ${key.length}.`,
    );
}

/** The stored form of a value. Throws InvalidItemError. */
export function encodeValue(value: unknown): string {
  if (value === undefined)
    throw new InvalidItemError('An item’s value cannot be undefined. To delete the item, put null.');
  const text = encodable(value);
  if (text.length > MAX_VALUE_CHARACTERS)
    throw new InvalidItemError(
      `An item’s value has at most ${MAX_VALUE_CHARACTERS} characters as JSON, not ${text.length}.`,
    );
  return text;
}

function encodable(value: unknown): string {
  try {
    return encode(value);
  } catch (cause) {
    // `encode` throws RangeError for circular references and for values that overflow the stack.
    if (!(cause instanceof RangeError)) throw cause;
    throw new InvalidItemError(
      'An item’s value cannot contain circular references or be nested this deeply.',
      { cause },
    );
  }
}

export function checkRange(limit: number, offset: number): void {
  if (!(limit >= 0 && offset >= 0))
    throw new InvalidItemError('limit and offset must be numbers of at least 0.');
}

/** Converts a time to live from minutes to milliseconds; null without one. Throws InvalidItemError. */
export function timeToLive(minutes: unknown): number | null {
  if (minutes === undefined || minutes === null) return null;
  if (typeof minutes !== 'number' || !(minutes > 0) || minutes > MAX_MINUTES)
    throw new InvalidItemError(
      `An item’s ttl must be a number of minutes above 0 and at most ${MAX_MINUTES}.`,
    );
  return Math.ceil(minutes * 60_000);
}

/** A hundred years. */
export const MAX_MINUTES = 52_560_000;

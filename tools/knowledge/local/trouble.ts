/** Why a document could not be indexed though it may be readable, such as an embedding model that fails. */
import { SkeinError } from '../../../state/errors.ts';

export interface Trouble {
  error: unknown;
  /** Milliseconds since 1970. */
  at: number;
}

/** For people. */
export function sentenceOf({ error }: Trouble): string {
  const known = error instanceof SkeinError ? [error.message, error.detail ?? []].flat() : undefined;
  const reason = known?.join(': ') ?? 'An unexpected error happened';
  return `It could not be indexed, and is tried again: ${reason}`;
}

/** Why a document could not be indexed although it may be readable, for example because the embedding model fails. */
import { SkeinError } from '../../../../state/errors.ts';

export interface Trouble {
  error: unknown;
  /** Milliseconds since 1970. */
  at: number;
}

/** A sentence for users. */
export function sentenceOf({ error }: Trouble): string {
  const known = error instanceof SkeinError ? [error.message, error.detail ?? []].flat() : undefined;
  const reason = known?.join(': ') ?? 'an unexpected error';
  return `It could not be indexed and will be retried: ${reason}`;
}

/** A library whose newest search tells whether it works: health must not search itself. */
import { type ErrorCode, SkeinError } from '../../state/errors.ts';
import type { Library } from './library.ts';

export interface Observed {
  library: Library;
  /** Why the newest search failed; undefined where it did not. One that was given up says nothing. */
  failing(): ErrorCode | undefined;
}

export function observed(library: Library): Observed {
  let failing: ErrorCode | undefined;
  return {
    failing: () => failing,
    library: {
      ...library,
      async search(query, options) {
        try {
          const result = await library.search(query, options);
          failing = undefined;
          return result;
        } catch (error) {
          if (!options?.signal?.aborted)
            failing = error instanceof SkeinError ? error.code : 'INTERNAL_ERROR';
          throw error;
        }
      },
    },
  };
}

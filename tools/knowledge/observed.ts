/** Records whether the latest search of a library succeeded, because health checks must not search themselves. */
import { type ErrorCode, SkeinError } from '../../state/errors.ts';
import type { Library } from './library.ts';

export interface Observed {
  library: Library;
  /** Why the latest search failed; undefined if it succeeded. A cancelled search doesn't count. */
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

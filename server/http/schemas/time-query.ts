/** Query parameters for points in time. */
import { Type } from '@sinclair/typebox';
import { SkeinError } from '../../../state/errors.ts';

/** Patterns. A month may be shorter. */
export const DAY = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';

const TIME = 'time such as 2026-11-23T08:00:00Z';

/** An optional query parameter with a date and time in RFC 3339 format. */
export function timeParameter(description: string) {
  return Type.Optional(
    Type.String({
      pattern: `^${DAY}T${CLOCK}(:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-]${CLOCK})$`,
      description: `${description}. A ${TIME}`,
      error: `expected a ${TIME}`,
    }),
  );
}

/** Returns milliseconds since 1970. Throws INVALID_REQUEST for a day or an hour that doesn't exist. */
export function timeIn(parameter: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new SkeinError('INVALID_REQUEST', { detail: `${parameter}: expected a ${TIME}` });
  return time;
}

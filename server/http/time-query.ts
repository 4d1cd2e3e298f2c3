/** Query parameters for points in time. */
import { Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';

const TIME = 'a time such as 2026-11-23T08:00:00Z';

/** An optional query parameter with a date and time in RFC 3339 format. */
export function timeParameter(description: string) {
  return Type.Optional(
    Type.String({
      pattern:
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$',
      description: `${TIME}; ${description}`,
    }),
  );
}

/** Returns milliseconds since 1970. Throws INVALID_REQUEST for a day or an hour that doesn't exist. */
export function timeIn(parameter: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new SkeinError('INVALID_REQUEST', { detail: `${parameter}: expected ${TIME}` });
  return time;
}

/** Calculates when a cron starts its runs, and validates its schedule. */
import { Cron as Schedule } from 'croner';
import { SkeinError } from '../../../state/errors.ts';
import type { Cron } from '../../../state/resources/crons.ts';

type Timed = Pick<Cron, 'schedule' | 'timezone' | 'enabled' | 'endTime'>;

/** The first start after `after`, in milliseconds since 1970; null if there is none or if the cron is disabled. */
export function nextTime({ schedule, timezone, enabled, endTime }: Timed, after: number): number | null {
  if (!enabled) return null;
  const next = parseSchedule(schedule, timezone).nextRun(new Date(after))?.getTime() ?? null;
  return next !== null && endTime !== null && next > endTime ? null : next;
}

/** Throws INVALID_REQUEST, naming the field, if the cron would never start a run. */
export function checkTimes(timed: Timed, now: number): void {
  const { schedule, timezone, endTime } = timed;
  // Check the time zone first, because the schedule is parsed in it.
  if (timezone !== null && !isTimezone(timezone))
    throw invalid('timezone', 'expected the name of an IANA time zone, such as Europe/Berlin');
  if (schedule.trim().split(/\s+/).length !== 5) throw invalid('schedule', FIVE_FIELDS);
  if (endTime !== null && endTime <= now) throw invalid('end_time', 'expected a time in the future');
  if (firstMatch(schedule, timezone, now) === null) throw invalid('schedule', 'no date matches it');
}

const FIVE_FIELDS =
  'expected five fields: minute, hour, day of the month, month and day of the week, such as "30 9 * * 1-5"';

function firstMatch(schedule: string, timezone: string | null, now: number): Date | null {
  try {
    return parseSchedule(schedule, timezone).nextRun(new Date(now));
  } catch {
    throw invalid('schedule', `a field is invalid; ${FIVE_FIELDS}`);
  }
}

function parseSchedule(schedule: string, timezone: string | null): Schedule {
  return new Schedule(schedule.trim(), { timezone: timezone ?? 'UTC', mode: '5-part', paused: true });
}

function isTimezone(name: string): boolean {
  // Intl also accepts offsets such as +01:00, which ignore daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function invalid(field: string, what: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { detail: `${field}: ${what}` });
}

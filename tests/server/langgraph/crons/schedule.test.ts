/** The times of a schedule, and invalid schedules. */
import { expect, test } from 'bun:test';
import { checkTimes, nextTime } from '../../../../server/langgraph/crons/schedule.ts';

const NOW = Date.parse('2027-03-27T12:00:30Z');
const timed = (schedule: string, more: object = {}) => ({
  ...{ schedule, timezone: null, enabled: true, endTime: null, ...more },
});
const nextOf = (schedule: string, more: object = {}, after = NOW) => {
  const next = nextTime(timed(schedule, more), after);
  return next === null ? null : new Date(next).toISOString().replace(':00.000', '');
};
const refusalOf = (schedule: string, more: object = {}) => {
  try {
    checkTimes(timed(schedule, more), NOW);
    return undefined;
  } catch (error) {
    return (error as { detail: string }).detail;
  }
};

test('the next time is computed from five fields, in UTC by default', () => {
  expect(nextOf('* * * * *')).toBe('2027-03-27T12:01Z');
  expect(nextOf(' */15  *  * * * ')).toBe('2027-03-27T12:15Z');
  expect(nextOf('30 9 * * 1-5')).toBe('2027-03-29T09:30Z');
  expect(nextOf('0 0 29 2 *')).toBe('2028-02-29T00:00Z');
  expect(nextOf('0 12 27 3 *', {}, Date.parse('2027-03-27T12:00:00Z'))).toBe('2028-03-27T12:00Z');
});

test('a time zone applies with its daylight saving time', () => {
  const timezone = 'Europe/Berlin';
  expect(nextOf('0 9 * * *', { timezone })).toBe('2027-03-28T07:00Z');
  expect(nextOf('0 9 * * *', { timezone }, Date.parse('2027-03-26T12:00:00Z'))).toBe('2027-03-27T08:00Z');
  // 02:30 is skipped on this night, and occurs twice in autumn.
  expect(nextOf('30 2 * * *', { timezone })).toBe('2027-03-28T01:00Z');
  const autumn = Date.parse('2027-10-31T00:30:00Z');
  expect(nextOf('30 2 * * *', { timezone }, autumn)).toBe('2027-11-01T01:30Z');
});

test('there is no next time while the cron is disabled or after its end', () => {
  expect(nextOf('* * * * *', { enabled: false })).toBeNull();
  expect(nextOf('0 13 * * *', { endTime: Date.parse('2027-03-27T12:59:00Z') })).toBeNull();
  expect(nextOf('0 13 * * *', { endTime: Date.parse('2027-03-27T13:00:00Z') })).toBe('2027-03-27T13:00Z');
});

test('an invalid schedule is rejected with the field and the expected value', () => {
  const fields =
    'expected five fields: minute, hour, day of the month, month and day of the week, such as "30 9 * * 1-5"';
  for (const schedule of ['', '* * * *', '* * * * * *', '@daily', '* * * * * * *'])
    expect([schedule, refusalOf(schedule)]).toEqual([schedule, `schedule: ${fields}`]);
  for (const schedule of ['61 * * * *', 'a b c d e', '* * * 13 *', '*/0 * * * *'])
    expect([schedule, refusalOf(schedule)]).toEqual([schedule, `schedule: a field is invalid; ${fields}`]);
  expect(refusalOf('0 0 30 2 *')).toBe('schedule: no date matches it');
  for (const timezone of ['Nowhere/Here', '+01:00', ''])
    expect(refusalOf('* * * * *', { timezone })).toStartWith(
      'timezone: expected the name of an IANA time zone',
    );
  expect(refusalOf('* * * * *', { endTime: NOW })).toBe('end_time: expected a time in the future');
  expect(refusalOf('* * * * *', { timezone: 'Asia/Calcutta', endTime: NOW + 1 })).toBeUndefined();
});

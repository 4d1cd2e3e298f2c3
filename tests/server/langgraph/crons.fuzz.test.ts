/** Schedules of crons: the next time is the first minute that every field matches. */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { checkTimes, nextTime } from '../../../server/langgraph/crons/schedule.ts';
import { SkeinError } from '../../../state/errors.ts';
import { anyOrder, anyText, edited, property } from '../../support/property.ts';

const MINUTE = 60_000;

/** The text of a field, and the numbers that it matches. */
function field(least: number, most: number, last = most) {
  const one = fc.integer({ min: least, max: most });
  const all = Array.from({ length: last - least + 1 }, (_, at) => least + at);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({ text: '*', numbers: all }) },
    one.map((number) => ({ text: String(number), numbers: [number] })),
    fc.tuple(one, one).map((ends) => {
      const [from = least, to = most] = [...ends].sort((a, b) => a - b);
      return { text: `${from}-${to}`, numbers: all.filter((number) => number >= from && number <= to) };
    }),
    fc.integer({ min: 1, max: most }).map((step) => ({
      text: `*/${step}`,
      numbers: all.filter((number) => (number - least) % step === 0),
    })),
    fc
      .uniqueArray(one, { minLength: 1, maxLength: 4 })
      .map((numbers) => ({ text: numbers.join(','), numbers })),
  );
}

const schedule = fc.record({
  minute: field(0, 59),
  hour: field(0, 23),
  // Later days don't exist in every month.
  day: field(1, 28, 31),
  month: field(1, 12),
  weekday: field(0, 6),
});
const moment = fc.date({ noInvalidDate: true, min: new Date('2020-01-01'), max: new Date('2040-01-01') });
const always = { enabled: true, endTime: null };

property(
  'the next time matches every field, and no earlier one does',
  [schedule, moment],
  ({ minute, hour, day, month, weekday }, after) => {
    const text = [minute, hour, day, month, weekday].map((one) => one.text).join(' ');
    const next = nextTime({ schedule: text, timezone: 'UTC', ...always }, after.getTime());
    if (next === null) throw new Error('there is a next time');
    expect(next).toBeGreaterThan(after.getTime());
    expect(next % MINUTE).toBe(0);
    const matches = (time: Date) => {
      const isDay = day.numbers.includes(time.getUTCDate());
      const isWeekday = weekday.numbers.includes(time.getUTCDay());
      // As in crontab: if both fields are restricted, one match is enough.
      const either = day.text === '*' || weekday.text === '*' ? isDay && isWeekday : isDay || isWeekday;
      const isTime =
        minute.numbers.includes(time.getUTCMinutes()) && hour.numbers.includes(time.getUTCHours());
      return either && isTime && month.numbers.includes(time.getUTCMonth() + 1);
    };
    expect([text, new Date(next), matches(new Date(next))]).toEqual([text, new Date(next), true]);
    // Checks the minutes of the day before, because checking years would take too long.
    const first = Math.max(Math.floor(after.getTime() / MINUTE) + 1, next / MINUTE - 1_440);
    for (let at = first; at < next / MINUTE; at++)
      if (matches(new Date(at * MINUTE))) throw new Error(`${text}: ${new Date(at * MINUTE)} comes earlier`);
  },
);

property(
  'there is no next time after the end',
  [schedule, moment, fc.nat(100_000)],
  (fields, after, minutes) => {
    const text = Object.values(fields)
      .map((one) => one.text)
      .join(' ');
    const endTime = after.getTime() + minutes * MINUTE;
    const next = nextTime({ schedule: text, timezone: null, enabled: true, endTime }, after.getTime());
    const without = nextTime({ schedule: text, timezone: null, ...always }, after.getTime());
    expect(next).toBe(without !== null && without <= endTime ? without : null);
    expect(
      nextTime({ schedule: text, timezone: null, enabled: false, endTime: null }, after.getTime()),
    ).toBeNull();
  },
);

const PIECES = [
  '*',
  '/',
  '-',
  ',',
  ' ',
  '0',
  '5',
  '60',
  '31',
  'MON',
  'jan',
  '?',
  'L',
  '#',
  'W',
  '@daily',
  '1-5',
  '*/0',
  '-1',
  '\n',
];
const zone = fc.constantFrom(null, 'UTC', 'Europe/Berlin', 'Asia/Kolkata', '+01:00', 'Nowhere/City', '');

property(
  'an accepted schedule has a next time, and any other is rejected with its field',
  [
    fc.oneof(
      edited(fc.constantFrom('30 9 * * 1-5', '*/5 * 1,15 * *'), PIECES),
      anyOrder(PIECES, 12),
      anyText,
    ),
    zone,
    moment,
  ],
  (text, timezone, now) => {
    const timed = { schedule: text, timezone, ...always };
    try {
      checkTimes(timed, now.getTime());
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      expect(error.code).toBe('INVALID_REQUEST');
      expect(error.detail).toMatch(/^(schedule|timezone): /);
      return;
    }
    expect(nextTime(timed, now.getTime())).toBeGreaterThan(now.getTime());
  },
);

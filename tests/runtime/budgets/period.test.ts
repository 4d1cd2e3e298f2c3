/** When the periods of budgets begin and end. */
import { expect, test } from 'bun:test';
import { periodAt } from '../../../runtime/budgets/period.ts';

test.each([
  ['day', '2026-11-23T00:00:00.000Z', '2026-11-23', '2026-11-24T00:00:00.000Z'],
  ['day', '2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01T00:00:00.000Z'],
  ['month', '2028-02-29T12:00:00.000Z', '2028-02', '2028-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
] as const)('the %s of %s is %s', (per, now, name, end) => {
  expect(periodAt(per, Date.parse(now))).toEqual({ name, endsAt: Date.parse(end) });
});

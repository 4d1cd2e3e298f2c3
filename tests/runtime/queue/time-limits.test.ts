/** How long a run waits for its slot. */
import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { waitForSlot } from '../../../runtime/queue/time-limits.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const DAY_S = 24 * 60 * 60;

test('a run that starts in two months waits for longer than the maximum of a timer', async () => {
  const never = new Promise<never>(() => {});
  let error: unknown;
  const waiting = waitForSlot(never, 60 * DAY_S, new AbortController().signal).catch((reason) => {
    error = reason;
  });
  await advanceDays(59);
  expect(error).toBeUndefined();
  await advanceDays(2);
  await waiting;
  expect(error).toMatchObject({ code: 'RUN_TIMEOUT' });
});

async function advanceDays(count: number): Promise<void> {
  for (let day = 0; day < count; day++) {
    jest.advanceTimersByTime(DAY_S * 1000);
    await Promise.resolve();
  }
}

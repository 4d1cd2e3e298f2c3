/** Delays between attempts, and which errors are retried. */
import { expect, test } from 'bun:test';
import { SkeinApiError } from '../../client/api-error.ts';
import { ConnectionLost } from '../../client/requests.ts';
import { delayBefore, passes, pause, retryOptions } from '../../client/retry.ts';

const lost = new ConnectionLost('x');

function refused(status: number, retryAfter?: string): SkeinApiError {
  const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
  return new SkeinApiError({}, new Response(null, { status, headers }));
}

test('the upper bound of a delay doubles up to the maximum, and the delay is random below it', () => {
  const bounds = (random: number) =>
    [1, 2, 3, 6, 7, 1000].map((attempt) =>
      delayBefore(attempt, lost, retryOptions({ random: () => random })),
    );
  expect(bounds(1)).toEqual([250, 500, 1_000, 8_000, 10_000, 10_000]);
  expect(bounds(0)).toEqual([0, 0, 0, 0, 0, 0]);
});

test('Retry-After takes precedence, in seconds or as a date, and is limited to a minute', () => {
  const options = retryOptions({ random: () => 0 });
  expect(delayBefore(1, refused(503, '7'), options)).toBe(7_000);
  expect(delayBefore(1, refused(503, '86400'), options)).toBe(60_000);
  expect(delayBefore(1, refused(503, 'soon'), options)).toBe(0);
  const soon = delayBefore(1, refused(429, new Date(Date.now() + 20_000).toUTCString()), options);
  expect(soon).toBeGreaterThan(15_000);
  expect(soon).toBeLessThanOrEqual(20_000);
  expect(delayBefore(1, refused(503, new Date(0).toUTCString()), options)).toBe(0);
});

test('a temporary rejection is retried only if an earlier request may have been accepted', () => {
  for (const status of [408, 425, 429, 500, 503])
    expect([status, passes(refused(status), false), passes(refused(status), true)]).toEqual([
      status,
      false,
      true,
    ]);
  for (const status of [400, 401, 404, 409, 413]) expect(passes(refused(status), true)).toBe(false);
  for (const status of [502, 504]) expect(passes(refused(status), false)).toBe(true);
  expect(passes(lost, false)).toBe(true);
  expect(passes(new TypeError('a mistake'), true)).toBe(false);
});

test('an aborted signal ends a delay', async () => {
  const stop = new AbortController();
  const paused = pause(60_000, stop.signal);
  stop.abort(new Error('enough'));
  expect(await paused.catch(({ message }) => message)).toBe('enough');
  expect(await pause(60_000, stop.signal).catch(({ message }) => message)).toBe('enough');
});

/** The Retry-After header. */
import { expect, test } from 'bun:test';
import { pino } from 'pino';
import { errorResponse } from '../../../../server/http/errors/errors.ts';
import { ERRORS, type ErrorCode, SkeinError } from '../../../../state/errors.ts';

const log = pino({ level: 'silent' });
const retryAfter = (error: SkeinError) => errorResponse(error, 'id', log).headers.get('retry-after');

test("every 503 has it, even if the error doesn't", () => {
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code][0] === 503);
  expect(codes).toContain('SHUTTING_DOWN');
  for (const code of codes) expect([code, retryAfter(new SkeinError(code))]).toEqual([code, '5']);
  expect(retryAfter(new SkeinError('OVERLOADED', { retryAfter: 1 }))).toBe('1');
});

test('other errors only have it if they set it', () => {
  expect(retryAfter(new SkeinError('THREAD_BUSY'))).toBeNull();
  expect(retryAfter(new SkeinError('MODEL_CALL_FAILED', { retryAfter: 7 }))).toBe('7');
});

/** The service's error class, including its use by workflows in plain JavaScript. */
import { describe, expect, test } from 'bun:test';
import { ERRORS, type ErrorCode, errorBody, SkeinError } from '../../state/errors.ts';

test('every code has its status and its message', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const error = new SkeinError(code);
    expect([error.code, error.status, error.message]).toEqual([code, ...ERRORS[code]]);
  }
});

describe('a code that does not exist', () => {
  const CODES = ['OUT_OF_STOCK', '', 'constructor', '__proto__', undefined, null, 404, Symbol('x')];
  test.each(CODES)('becomes an INTERNAL_ERROR without details: %p', (code) => {
    const options = { message: 'canary', detail: 'canary', retryAfter: 5, field: 'canary' };
    const error = new SkeinError(code as never, options);
    expect(error).toBeInstanceOf(SkeinError);
    expect([error.code, error.status]).toEqual(['INTERNAL_ERROR', 500]);
    expect(JSON.stringify(errorBody(error, 'request'))).not.toContain('canary');
    expect([error.detail, error.retryAfter, error.field]).toEqual([undefined, undefined, undefined]);
  });

  test('is in the cause, with message, detail and original cause', () => {
    const cause = new Error('the shelf is empty');
    const error = new SkeinError('OUT_OF_STOCK' as never, { message: 'No bells', detail: 'shelf 3', cause });
    expect(error.cause).toMatchObject({
      message: "SkeinError was created with the unknown code 'OUT_OF_STOCK': No bells: shelf 3",
      cause,
    });
  });
});

/** The owner of a request is only known after the guard has checked it. */
import { expect, test } from 'bun:test';
import { ANONYMOUS, isIdentified, ownerOf, remember } from '../../../server/authentication/identity.ts';

test('a request that the guard has not checked has no owner', () => {
  const request = new Request('http://localhost/api/v1/threads');
  expect(isIdentified(request)).toBe(false);
  expect(() => ownerOf(request)).toThrow('the guard has not checked this request');
  remember(request, ANONYMOUS);
  expect(ownerOf(request)).toBe('anonymous');
  expect(() => ownerOf(new Request(request))).toThrow('the guard has not checked this request');
});

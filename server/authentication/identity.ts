/** The authenticated caller of a request, which the guard has determined. */
import type { Caller } from './authenticator.ts';

export const ANONYMOUS: Caller = { owner: 'anonymous', name: 'anonymous', expiresAt: null };

// Keyed by the request, because it is the only object that is unique to a request in all of Elysia's hooks.
const callers = new WeakMap<Request, Caller>();

/** Stores the caller of a request. Only the guard calls this. */
export function remember(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

export function isIdentified(request: Request): boolean {
  return callers.has(request);
}

/** Throws if the guard has not checked the request, so a route that bypasses the guard rejects every request. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error('the guard has not checked this request');
  return caller;
}

/** Returns undefined if the guard has not checked or has rejected the request. */
export function knownCaller(request: Request): Caller | undefined {
  return callers.get(request);
}

/** The owner of everything that the request creates: `user:<name>`, `key:<name>`, `oidc:<claim>`, or `anonymous`. */
export function ownerOf(request: Request): string {
  return callerOf(request).owner;
}

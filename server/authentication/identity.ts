/** Who is asking: what the guard found out about a request. */
import type { Caller } from './authenticator.ts';

export const ANONYMOUS: Caller = { owner: 'anonymous', name: 'anonymous', expiresAt: null };

// Beside the request, since a handler has nothing else that is its alone in every hook; gone with it.
const callers = new WeakMap<Request, Caller>();

export function remember(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

export function isIdentified(request: Request): boolean {
  return callers.has(request);
}

/** Throws where the guard has not been: a route that it does not see serves nobody. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error('the guard has not seen this request');
  return caller;
}

/** Undefined where the guard has not been, or has refused the request. */
export function knownCaller(request: Request): Caller | undefined {
  return callers.get(request);
}

/** The owner of what the request makes: `user:<name>`, `key:<name>`, `oidc:<claim>`, or `anonymous`. */
export function ownerOf(request: Request): string {
  return callerOf(request).owner;
}

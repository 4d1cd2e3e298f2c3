/** Authorizes requests by the route that they match, and limits the rate of chats. No other code decides this. */
import type { MinuteCounters } from '../../state/callers/minute-counters.ts';
import { unauthorized } from '../http/errors/error-with-headers.ts';
import { perMinute } from '../http/rate-limit.ts';
import { TURN_ROUTES } from '../http/turn-routes.ts';
import type { Authenticator } from './authenticator.ts';
import { ANONYMOUS, callerOf, isIdentified, remember } from './identity.ts';
import { rejectWritesForOthers } from './operators.ts';

/** The patterns of the public routes. All others are protected, including those that are added later. */
const EXEMPT: ReadonlySet<string> = new Set([
  ...['/', '/docs', '/openapi.json', '/livez', '/readyz', '/api/v1/health'],
  ...['/api/v1/auth/login', '/api/v1/auth/refresh'],
  // LangGraph's clients call these first, without a key.
  ...['/ok', '/info'],
  // Agent cards.
  ...['/.well-known/agent-card.json', '/a2a/:workflow/.well-known/agent-card.json'],
  // The studio's static files.
  ...['/studio', '/studio/*'],
]);

/** The route that validates its body before it checks credentials: an invalid body is reported first. */
const BODY_FIRST = '/api/v1/chat';
/** Reports who the caller is, so it always requires one. */
const VERIFY = '/api/v1/auth/verify';

/** Whether a route pattern is public. */
export function isExempt(route: string): boolean {
  return EXEMPT.has(route);
}

/** Whether the route requires credentials even if `enable_global_middleware` is off. */
export function needsCaller(route: string): boolean {
  return route === VERIFY;
}

/** The namespace of chats in the counters. */
export const CHATS = 'chat';

export interface Guard {
  /** Checks credentials before the body is read and validated, except on chat. Throws UNAUTHORIZED or RATE_LIMITED. */
  beforeBody(request: Request, route: string): Promise<void>;
  /** Checks the requests that `beforeBody` has let pass unchecked. Throws UNAUTHORIZED or RATE_LIMITED. */
  beforeHandler(request: Request, route: string): Promise<void>;
  /** Checks the credentials of a request that matches no route. Throws UNAUTHORIZED or RATE_LIMITED. */
  identify(request: Request, path: string): Promise<void>;
  /** Counts a turn of the caller. Throws RATE_LIMITED. */
  countChat(request: Request): Promise<void>;
}

export interface GuardParts {
  authenticator: Authenticator;
  counters: MinuteCounters;
  /** The rate limit of chats per caller. No limit if undefined. */
  chatsPerMinute: number | undefined;
  addressOf(request: Request): string;
}

export function createGuard({ authenticator, counters, chatsPerMinute, addressOf }: GuardParts): Guard {
  const { enabled, protects } = authenticator;
  const chats = chatsPerMinute === undefined ? undefined : perMinute(counters, CHATS, chatsPerMinute);

  async function identify(request: Request, route: string): Promise<void> {
    if (isIdentified(request)) return;
    if (isExempt(route)) return remember(request, ANONYMOUS);
    const caller = await authenticator.identify(request, addressOf(request));
    if (!caller && (protects || (enabled && needsCaller(route)))) throw unauthorized();
    remember(request, caller ?? ANONYMOUS);
  }

  async function check(request: Request, route: string): Promise<void> {
    if (isIdentified(request)) return;
    await identify(request, route);
    if (isExempt(route)) return;
    rejectWritesForOthers(request, callerOf(request).owner);
    // Only POST starts a turn; other methods get 405.
    if (TURN_ROUTES.has(route) && request.method === 'POST') await countChat(request);
  }

  async function countChat(request: Request): Promise<void> {
    const { owner } = callerOf(request);
    // Anonymous callers are counted by their address.
    await chats?.take(owner === ANONYMOUS.owner ? addressOf(request) : owner);
  }

  return {
    identify,
    countChat,
    beforeBody: async (request, route) => (route === BODY_FIRST ? undefined : check(request, route)),
    beforeHandler: check,
  };
}

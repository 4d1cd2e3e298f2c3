/** The one place that decides whether a request may go on, by the route that it matched. */
import type { MinuteCounters } from '../../state/minute-counters.ts';
import { countByMinute } from '../http/minute-windows.ts';
import { unauthorized } from '../http/refusals.ts';
import { TURN_ROUTES } from '../http/turn-routes.ts';
import type { Authenticator } from './authenticator.ts';
import { ANONYMOUS, callerOf, isIdentified, remember } from './identity.ts';
import { refuseWritesForOthers } from './operators.ts';

/** The routes that anybody may ask, as they are defined: all others are protected, those of tomorrow too. */
const EXEMPT: ReadonlySet<string> = new Set([
  ...['/', '/docs', '/openapi.json', '/livez', '/readyz', '/api/v1/health'],
  ...['/api/v1/auth/login', '/api/v1/auth/refresh'],
  // What LangGraph's clients ask first, without a key.
  ...['/ok', '/info'],
  // Agent cards.
  ...['/.well-known/agent-card.json', '/a2a/:workflow/.well-known/agent-card.json'],
  // The studio's static files.
  ...['/studio', '/studio/*'],
]);

/** Open for a body that breaks its schema, which is answered first. */
const BODY_FIRST = '/api/v1/chat';
/** Asks who is calling, so it needs an answer. */
const VERIFY = '/api/v1/auth/verify';

export function isExempt(route: string): boolean {
  return EXEMPT.has(route);
}

/** Whether the route needs credentials even if nothing is protected. */
export function needsCaller(route: string): boolean {
  return route === VERIFY;
}

/** The kind under which chats are counted. */
export const CHATS = 'chat';

export interface Guard {
  /** Before the body is read, and before anything is validated. Throws UNAUTHORIZED or RATE_LIMITED. */
  first(request: Request, route: string): Promise<void>;
  /** Before the handler: whoever was let past `first` unseen is looked at now. */
  last(request: Request, route: string): Promise<void>;
  /** Only who calls: for a request that no route takes. Throws UNAUTHORIZED or RATE_LIMITED. */
  identify(request: Request, path: string): Promise<void>;
  /** Counts a turn that a caller starts. Throws RATE_LIMITED. */
  countChat(request: Request): Promise<void>;
}

export interface GuardParts {
  authenticator: Authenticator;
  counters: MinuteCounters;
  /** How often one caller may chat; undefined: without limit. */
  chatsPerMinute: number | undefined;
  addressOf(request: Request): string;
}

export function createGuard({ authenticator, counters, chatsPerMinute, addressOf }: GuardParts): Guard {
  const { enabled, protects } = authenticator;
  const chats = chatsPerMinute === undefined ? undefined : countByMinute(counters, CHATS, chatsPerMinute);

  async function identify(request: Request, route: string): Promise<void> {
    if (isIdentified(request)) return;
    if (isExempt(route)) return remember(request, ANONYMOUS);
    const caller = await authenticator.identify(request, addressOf(request));
    if (!caller && (protects || (enabled && needsCaller(route)))) throw unauthorized();
    remember(request, caller ?? ANONYMOUS);
  }

  async function last(request: Request, route: string): Promise<void> {
    if (isIdentified(request)) return;
    await identify(request, route);
    if (isExempt(route)) return;
    refuseWritesForOthers(request, callerOf(request).owner);
    // What chat answers with 405 is no chat.
    if (TURN_ROUTES.has(route) && request.method === 'POST') await countChat(request);
  }

  async function countChat(request: Request): Promise<void> {
    const { owner } = callerOf(request);
    // Of callers without a name, each address is one.
    await chats?.take(owner === ANONYMOUS.owner ? addressOf(request) : owner);
  }

  return {
    last,
    identify,
    countChat,
    first: async (request, route) => (route === BODY_FIRST ? undefined : last(request, route)),
  };
}

/** The one place that decides whether a request may go on, by the route that it matched. */
import type { MinuteCounters } from '../../state/minute-counters.ts';
import { countByMinute } from '../http/minute-windows.ts';
import { unauthorized } from '../http/refusals.ts';
import type { Authenticator } from './authenticator.ts';
import { ANONYMOUS, isIdentified, remember } from './identity.ts';

/** The routes that anybody may ask, as they are defined: all others are protected, those of tomorrow too. */
const EXEMPT: ReadonlySet<string> = new Set([
  ...['/', '/docs', '/openapi.json', '/livez', '/readyz', '/api/v1/health'],
  ...['/api/v1/auth/login', '/api/v1/auth/refresh'],
  // What LangGraph's clients ask first, without a key.
  ...['/ok', '/info'],
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

export interface Guard {
  /** Before the body is read, and before anything is validated. Throws UNAUTHORIZED or RATE_LIMITED. */
  first(request: Request, route: string): Promise<void>;
  /** Before the handler: whoever was let past `first` unseen is looked at now. */
  last(request: Request, route: string): Promise<void>;
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
  const chats = chatsPerMinute === undefined ? undefined : countByMinute(counters, 'chat', chatsPerMinute);

  async function last(request: Request, route: string): Promise<void> {
    if (isIdentified(request)) return;
    if (isExempt(route)) return remember(request, ANONYMOUS);
    const caller = await authenticator.identify(request, addressOf(request));
    if (!caller && (protects || (enabled && needsCaller(route)))) throw unauthorized();
    remember(request, caller ?? ANONYMOUS);
    // Of callers without a name, each address is one. What chat answers with 405 is no chat.
    if (route === BODY_FIRST && request.method === 'POST')
      await chats?.take(caller?.owner ?? addressOf(request));
  }

  return { last, first: async (request, route) => (route === BODY_FIRST ? undefined : last(request, route)) };
}

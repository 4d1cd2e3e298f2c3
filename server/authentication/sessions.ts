/** Issues a pair of tokens for a login, and new tokens for a refresh token. */
import type { Logger } from 'pino';
import type { SpentTokens } from '../../state/callers/spent-tokens.ts';
import { unauthorized } from '../http/errors/error-with-headers.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Attempt } from './passwords.ts';
import type { Token, Tokens } from './tokens.ts';

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  /** Seconds until the access token expires. */
  expiresIn: number;
}

export interface Sessions {
  /** Throws UNAUTHORIZED, RATE_LIMITED or OVERLOADED. */
  login(attempt: Attempt): Promise<TokenPair>;
  /** Throws UNAUTHORIZED for a token that is invalid, expired or already used. */
  refresh(refreshToken: string, address: string): Promise<TokenPair>;
}

export interface SessionParts {
  passwords: PasswordCheck;
  tokens: Tokens;
  spent: SpentTokens;
  /** Each refresh issues a new refresh token and invalidates the old one. */
  rotates: boolean;
  log: Logger;
}

// A client that didn't receive the response may repeat a refresh within this time.
const GRACE_MS = 30_000;

export function openSessions({ passwords, tokens, spent, rotates, log }: SessionParts): Sessions {
  async function pair(username: string, family: string, existing?: string): Promise<TokenPair> {
    return {
      accessToken: await tokens.issue('access', username, family),
      refreshToken: existing ?? (await tokens.issue('refresh', username, family)),
      expiresIn: tokens.lifetimeSeconds('access'),
    };
  }

  /** Throws UNAUTHORIZED if the token was used before. This also invalidates all tokens of its family. */
  async function spend({ id, family, username }: Token, address: string): Promise<void> {
    const now = Date.now();
    const keepUntil = now + tokens.lifetimeSeconds('refresh') * 1000;
    const outcome = await spent.spend({ id, family, now, graceMs: GRACE_MS, keepUntil });
    if (outcome === 'fresh' || outcome === 'repeated') return;
    log.warn({ audit: 'refresh_reuse', user: username, address, outcome }, 'a refresh token was reused');
    throw unauthorized('invalid_token');
  }

  return {
    async login(attempt) {
      await passwords.check(attempt);
      log.info({ audit: 'login', user: attempt.username, address: attempt.address }, 'login');
      return pair(attempt.username, Bun.randomUUIDv7());
    },
    async refresh(refreshToken, address) {
      const token = await tokens.read('refresh', refreshToken);
      if (!token || !passwords.knows(token.username)) throw unauthorized('invalid_token');
      if (!rotates) return pair(token.username, token.family, refreshToken);
      await spend(token, address);
      return pair(token.username, token.family);
    },
  };
}
